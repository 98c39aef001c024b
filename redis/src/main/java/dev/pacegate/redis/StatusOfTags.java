package dev.pacegate.redis;

import dev.pacegate.redis.KnownLimit.SeenTag;
import dev.pacegate.redis.SharedLimitStatus.Entry;
import dev.pacegate.redis.SharedLimitStatus.Tag;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.TreeSet;
import java.util.function.Function;

/** Joins what the tags of one limit tell. */
final class StatusOfTags {

  private static final int LONGEST_AUDIT = 20; // as in record.lua
  private static final Duration AT_ONCE = Duration.ofSeconds(10); // tags have clocks of their own
  private static final String UNKNOWN = "the store does not know this part of the keys";
  private static final String UNREAD = "a part of the keys cannot be looked at: ";

  private StatusOfTags() {}

  /**
   * Returns the status of a limit.
   *
   * @param each what its tags tell
   * @param some one of them, whose limit is told
   */
  static SharedLimitStatus join(List<SeenTag> each, SharedLimitStatus some) {
    List<SharedLimitStatus> known =
        each.stream().map(SeenTag::status).filter(Objects::nonNull).toList();
    SharedLimitStatus fenced = longest(known, SharedLimitStatus::fence);
    SharedLimitStatus paused = longest(known, SharedLimitStatus::pause);
    var replicas = new TreeSet<String>();
    known.forEach(one -> replicas.addAll(one.replicas()));
    var tags = new ArrayList<Tag>();
    for (SeenTag one : each) {
      tags.add(tag(tags.size(), one, some));
    }
    return new SharedLimitStatus(
        some.name(),
        some.limit(),
        true,
        fenced.fence(),
        fenced.reason(),
        longest(known, SharedLimitStatus::longestFence).longestFence(),
        tags.stream().map(Tag::doubt).filter(doubt -> !doubt.isEmpty()).findFirst().orElse(""),
        paused.pause(),
        paused.why(),
        List.copyOf(replicas),
        List.of(),
        List.of(),
        audit(known),
        List.copyOf(tags));
  }

  private static SharedLimitStatus longest(
      List<SharedLimitStatus> known, Function<SharedLimitStatus, Duration> span) {
    return Collections.max(known, Comparator.comparing(span));
  }

  private static Tag tag(int number, SeenTag seen, SharedLimitStatus some) {
    SharedLimitStatus of = seen.status();
    if (of == null) {
      String doubt =
          seen.problem() == null ? UNKNOWN : UNREAD + Causes.ofScript(Causes.of(seen.problem()));
      return new Tag(number, some.limit(), Duration.ZERO, "", doubt, Duration.ZERO, List.of());
    }
    return new Tag(
        number, of.limit(), of.fence(), of.reason(), of.doubt(), of.pause(), of.replicas());
  }

  // What was done to all tags at once is told once.
  private static List<Entry> audit(List<SharedLimitStatus> known) {
    List<Entry> all =
        known.stream()
            .flatMap(status -> status.audit().stream())
            .sorted(Comparator.comparing(Entry::at))
            .toList();
    var told = new ArrayList<Entry>();
    for (Entry entry : all) {
      if (told.stream().noneMatch(earlier -> isSame(earlier, entry))) {
        told.add(entry);
      }
    }
    return List.copyOf(told.subList(Math.max(0, told.size() - LONGEST_AUDIT), told.size()));
  }

  private static boolean isSame(Entry earlier, Entry entry) {
    return earlier.what().equals(entry.what())
        && earlier.who().equals(entry.who())
        && earlier.why().equals(entry.why())
        && entry.at().isBefore(earlier.at().plus(AT_ONCE));
  }

  /** Returns numbers of tags in words, such as {@code 0-3, 7}. */
  static String text(List<Integer> tags) {
    var text = new StringBuilder();
    for (int i = 0; i < tags.size(); ) {
      int last = i;
      while (last + 1 < tags.size() && tags.get(last + 1) == tags.get(last) + 1) {
        last++;
      }
      text.append(i == 0 ? "" : ", ").append(tags.get(i));
      text.append(last == i ? "" : "-" + tags.get(last));
      i = last + 1;
    }
    return text.toString();
  }
}
