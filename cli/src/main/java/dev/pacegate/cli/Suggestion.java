package dev.pacegate.cli;

import dev.pacegate.cli.GroupJudges.GroupVerdict;
import dev.pacegate.limit.Limits;
import dev.pacegate.limit.Promise;
import dev.pacegate.time.Durations;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongFunction;

/** The tightest limits that a log has kept, over the usual intervals. */
final class Suggestion {

  private static final String OF_STARTS =
      "1/1s & 1/10s & 1/1m & 1/10m & 1/1h & 1/1d & spacing(1ns)";
  private static final String AS_PEERS_COUNT =
      "peer(1/1s) & peer(1/10s) & peer(1/1m) & peer(1/10m) & peer(1/1h) & peer(1/1d)"
          + " & peer(spacing(1ns)) & concurrent(1)";

  private Suggestion() {}

  /**
   * Returns what is measured.
   *
   * @param hasEnds whether the log tells when requests ended
   */
  static List<Promise> promises(boolean hasEnds) {
    return Limits.parse(hasEnds ? AS_PEERS_COUNT : OF_STARTS).promises();
  }

  /** Returns a line for each limit, and where it would have been passed if it were any tighter. */
  static List<String> lines(GroupJudges judges, boolean isGrouped, LongFunction<String> instants) {
    var lines = new ArrayList<String>();
    for (GroupVerdict worst : judges.worst()) {
      String limit = limit(worst.verdict().tightest());
      if (!limit.isEmpty()) {
        String group = isGrouped ? World.oneLine(worst.group()) + ": " : "";
        lines.add(String.format("%-20s %s", limit, group + worst.verdict().found(instants)));
      }
    }
    return lines.isEmpty() ? List.of("nothing to count") : lines;
  }

  /** Returns a promise as a limit; empty if no limit promises it, such as a gap of nothing. */
  static String limit(Promise tightest) {
    if (tightest instanceof Promise.AtMost most) {
      return peer(most.max() + "/" + Durations.format(most.nanos()) + of(most), most.countsWhole());
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
