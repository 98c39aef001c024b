package dev.pacegate.cli;

import dev.pacegate.cli.GroupJudges.GroupVerdict;
import dev.pacegate.limit.Limits;
import dev.pacegate.limit.Promise;
import dev.pacegate.time.Durations;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongFunction;

/** The tightest limits that a log has kept, over the usual intervals. */
final class Suggestion {

  private static final List<String> INTERVALS =
      List.of("1/1s", "1/10s", "1/1m", "1/10m", "1/1h", "1/1d");

  /** From slow to fast; each takes time for each line, so there are few. */
  private static final List<String> RATES_OF_BUCKETS =
      List.of(
          "1/1h",
          "10/1h",
          "1/1m",
          "10/1m",
          "1/1s",
          "5/1s",
          "20/1s",
          "100/1s",
          "500/1s",
          "2000/1s",
          "10000/1s");

  private Suggestion() {}

  /**
   * Returns what is measured.
   *
   * @param hasEnds whether the log tells when requests ended
   * @param hasCosts whether it tells costs: a bucket lets one pass that is larger than its burst,
   *     so none would be the tightest
   */
  static List<Promise> promises(boolean hasEnds, boolean hasCosts) {
    var limits = new ArrayList<>(INTERVALS);
    if (!hasCosts) {
      RATES_OF_BUCKETS.forEach(rate -> limits.add("bucket(" + rate + ", burst=1)"));
    }
    limits.add("spacing(1ns)");
    if (hasEnds) {
      limits.replaceAll(limit -> peer(limit, true));
      limits.add("concurrent(1)");
    }
    return limits.stream().flatMap(limit -> Limits.parse(limit).promises().stream()).toList();
  }

  /** Returns a line for each limit, and where it would have been passed if it were any tighter. */
  static List<String> lines(GroupJudges judges, boolean isGrouped, LongFunction<String> instants) {
    Map<String, String> found = new LinkedHashMap<>();
    for (GroupVerdict worst : withFewBuckets(judges.worst())) {
      String limit = limit(worst.verdict().tightest());
      if (!limit.isEmpty()) {
        String group = isGrouped ? World.oneLine(worst.group()) + ": " : "";
        found.put(limit, group + worst.verdict().found(instants));
      }
    }
    int width = found.keySet().stream().mapToInt(String::length).max().orElse(0);
    var lines = new ArrayList<String>();
    found.forEach(
        (limit, where) -> lines.add(limit + " ".repeat(width - limit.length() + 2) + where));
    return lines.isEmpty() ? List.of("nothing to count") : lines;
  }

  /** For each interval, leaves the slowest bucket that is full again within that time. */
  private static List<GroupVerdict> withFewBuckets(List<GroupVerdict> all) {
    Set<GroupVerdict> slowest = new HashSet<>();
    for (String interval : INTERVALS) {
      long nanos = Limits.parse(interval).promises().get(0).length();
      all.stream()
          .filter(each -> isBucket(each) && each.verdict().tightest().length() <= nanos)
          .findFirst()
          .ifPresent(slowest::add);
    }
    return all.stream().filter(each -> !isBucket(each) || slowest.contains(each)).toList();
  }

  private static boolean isBucket(GroupVerdict each) {
    return each.verdict().promise() instanceof Promise.Refilled;
  }

  /** Returns a promise as a limit; empty if no limit promises it, such as a gap of nothing. */
  static String limit(Promise tightest) {
    if (tightest instanceof Promise.AtMost most) {
      return peer(most.max() + "/" + Durations.format(most.nanos()) + of(most), most.countsWhole());
    } else if (tightest instanceof Promise.Refilled bucket) {
      String text = "bucket(" + bucket.rate() + of(bucket) + ", burst=" + bucket.burst() + ")";
      return bucket.slackNanos() == 0 && bucket.burst() > 0 ? peer(text, bucket.countsWhole()) : "";
    } else if (tightest instanceof Promise.Open open && open.unansweredNanos() == 0) {
      return "concurrent(" + open.max() + of(open) + ")";
    } else if (tightest instanceof Promise.Gap gap && gap.nanos() > 0) {
      return gap.nanos() == Long.MAX_VALUE
          ? ""
          : peer("spacing(" + Durations.format(gap.nanos()) + ")", gap.countsWhole());
    }
    return "";
  }

  private static String peer(String limit, boolean countsWhole) {
    return countsWhole ? "peer(" + limit + ")" : limit;
  }

  private static String of(Promise promise) {
    String name = promise.of().name();
    return name == null ? "" : " of " + name;
  }
}
