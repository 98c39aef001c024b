package dev.pacegate.cli;

import dev.pacegate.redis.SharedLimitStatus;
import dev.pacegate.redis.SharedLimitStatus.Entry;
import dev.pacegate.redis.SharedLimitStatus.Holder;
import dev.pacegate.redis.SharedLimitStatus.Tag;
import dev.pacegate.redis.SharedLimitStatus.Term;
import dev.pacegate.time.Durations;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/** What is known of shared limits, as text: no line is longer than the width, but for words. */
final class StatusTable {

  private static final int NARROWEST = 40;
  private static final Duration ENDLESS = Duration.ofDays(3650);

  private final StringBuilder text = new StringBuilder();
  private final int width;

  StatusTable(int width) {
    this.width = Math.max(width, NARROWEST);
  }

  void add(SharedLimitStatus status) {
    line(0, status.name() + ": " + status.limit() + keys(status));
    addState(status);
    addTags(status.tags());
    for (Term term : status.terms()) {
      line(
          2,
          "%s: %d of %d spent, the most at once %d"
              .formatted(term.text(), term.spent(), term.permits(), term.most()));
    }
    status.holders().stream().map(StatusTable::holder).sorted().forEach(text -> line(2, text));
    for (Entry entry : status.audit()) {
      line(2, entry(entry));
    }
  }

  private static String keys(SharedLimitStatus status) {
    int tags = status.tags().size();
    String spread = tags <= 1 ? "" : ", spread over " + tags + " tags";
    return status.hasKeys() ? " for each key" + spread : "";
  }

  /** Says which tags are in another state than the rest. */
  private void addTags(List<Tag> tags) {
    var groups = new LinkedHashMap<String, List<String>>();
    for (Tag tag : tags) {
      groups
          .computeIfAbsent(state(tag), state -> new ArrayList<>())
          .add(Integer.toString(tag.number()));
    }
    if (groups.size() > 1) {
      groups.forEach(
          (state, numbers) ->
              line(
                  2,
                  (numbers.size() == 1 ? "tag " : "tags ")
                      + String.join(", ", numbers)
                      + ": "
                      + state));
    }
  }

  private static String state(Tag tag) {
    var state = new ArrayList<String>();
    state.add(tag.limit());
    if (!tag.doubt().isEmpty()) {
      state.add("the next call begins a fence, as " + tag.doubt());
    }
    state.add(tag.fence().isZero() ? "no fence" : "a fence, as " + tag.reason());
    state.add(tag.pause().isZero() ? "no pause" : "paused");
    if (!tag.replicas().isEmpty()) {
      state.add("confirmed by " + String.join(" ", tag.replicas()));
    }
    return String.join(", ", state);
  }

  private void addState(SharedLimitStatus status) {
    if (!status.doubt().isEmpty()) {
      line(2, "the next call begins a fence of " + longest(status) + ": " + status.doubt());
    }
    if (!status.fence().isZero()) {
      line(
          2,
          "fence: no permits are granted for "
              + span(status.fence())
              + ", because "
              + status.reason());
    }
    if (status.doubt().isEmpty() && status.fence().isZero()) {
      line(2, "a loss would cost a fence of " + longest(status));
    }
    if (!status.pause().isZero()) {
      String why = status.why().isEmpty() ? "" : ": " + status.why();
      line(2, pause(status) + why);
    }
    if (!status.replicas().isEmpty()) {
      line(2, replicas(status));
    }
  }

  /** A key waits for as long as its own limit says. */
  private static String longest(SharedLimitStatus status) {
    return (status.hasKeys() ? "up to " : "") + span(status.longestFence());
  }

  /** Returns which replicas confirm permits. */
  static String replicas(SharedLimitStatus status) {
    return "permits are confirmed by " + String.join(", ", status.replicas());
  }

  /** Returns for how long a limit is paused. */
  static String pause(SharedLimitStatus status) {
    return isEndless(status)
        ? "paused until it is ended"
        : "paused for " + timeLeft(status.pause());
  }

  /** Returns whether a pause has no end of its own. */
  static boolean isEndless(SharedLimitStatus status) {
    return status.pause().compareTo(ENDLESS) >= 0;
  }

  private static String holder(Holder holder) {
    String name = holder.label().isEmpty() ? "process " + holder.id() : holder.label();
    boolean waits = holder.wants().stream().anyMatch(want -> want > 0);
    return name
        + " has "
        + join(holder.has())
        + (waits ? ", waits for " + join(holder.wants()) : "");
  }

  private static String join(List<Long> units) {
    return units.stream().map(String::valueOf).collect(Collectors.joining(" & "));
  }

  private static String entry(Entry entry) {
    String why = entry.why().isEmpty() ? "" : ": " + entry.why();
    return entry.at().truncatedTo(ChronoUnit.SECONDS)
        + " "
        + entry.what()
        + " by "
        + entry.who()
        + why;
  }

  /** Returns for example {@code 1h2m}, {@code 59m59s} or {@code 2.5s}. */
  static String span(Duration span) {
    return Durations.brief(Math.max(1_000_000, TimeUnit.NANOSECONDS.convert(span)));
  }

  /**
   * As {@link #span}, in whole seconds, rounded up: a pause begun just now has its whole length.
   */
  static String timeLeft(Duration span) {
    Duration up = span.plusNanos(999_999_999).truncatedTo(ChronoUnit.SECONDS);
    return span(span.compareTo(Duration.ofMinutes(1)) < 0 ? span : up);
  }

  /** Adds a sentence. */
  void say(String words) {
    line(0, words);
  }

  /** Adds a line, broken between words where it is too long. */
  private void line(int indent, String words) {
    int used = indent;
    text.append(" ".repeat(indent));
    boolean first = true;
    for (String word : words.replaceAll("\\p{Cntrl}", "?").split(" ", -1)) {
      if (!first && used + 1 + Cells.of(word) > width) {
        used = indent + 4;
        text.append('\n').append(" ".repeat(used)).append(word);
        used += Cells.of(word);
      } else {
        text.append(first ? "" : " ").append(word);
        used += Cells.of(word) + (first ? 0 : 1);
      }
      first = false;
    }
    text.append('\n');
  }

  @Override
  public String toString() {
    return text.toString();
  }
}
