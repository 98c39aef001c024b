package dev.pacegate.cli;

import dev.pacegate.audit.Report;
import dev.pacegate.audit.Stretch;
import dev.pacegate.audit.Verdict;
import dev.pacegate.limit.Promise;
import dev.pacegate.time.Durations;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongFunction;

/** What an audit found, for people to read. */
final class Findings {

  private final LongFunction<String> instants;

  /** Makes findings with instants as {@code instants} writes them. */
  Findings(LongFunction<String> instants) {
    this.instants = instants;
  }

  /** Returns a line that sums up. */
  String summary(Report report) {
    if (report.count() == 0) {
      return "0 requests";
    }
    String cost = report.cost() == report.count() ? "" : " of cost " + report.cost();
    return report.count()
        + (report.count() == 1 ? " request" : " requests")
        + cost
        + within(new Stretch(report.count(), report.first(), report.last()));
  }

  /** Returns the lines about one promise, the first of which is the verdict. */
  List<String> lines(Verdict verdict) {
    var lines = new ArrayList<String>();
    lines.add((verdict.kept() ? "kept: " : "broken: ") + verdict.promise().text());
    if (verdict.where().isEmpty()) {
      return lines;
    }
    lines.add("  " + worst(verdict));
    if (verdict.promise() instanceof Promise.AtMost most && !most.countsWhole()) {
      lines.add("  " + windows(verdict, most.nanos()));
    }
    lines.add("  would have held: " + tightest(verdict));
    return lines;
  }

  /** Returns the smallest gap and where it is. */
  String gap(Verdict verdict) {
    return "smallest gap: "
        + (verdict.where().isEmpty()
            ? "none"
            : span(verdict.measured()) + between(verdict.where()));
  }

  private String worst(Verdict verdict) {
    Stretch where = verdict.where();
    if (verdict.promise() instanceof Promise.AtMost) {
      return "most: " + verdict.measured() + within(where);
    }
    if (verdict.promise() instanceof Promise.PerCalendar) {
      return "most: " + verdict.measured() + ", in the window" + between(where).substring(1);
    }
    if (verdict.promise() instanceof Promise.PerWindow own) {
      String beyond = " beyond " + own.max() + " per whole " + Durations.format(own.nanos());
      return "most: " + verdict.measured() + beyond + ", by " + where.counted() + within(where);
    }
    if (verdict.promise() instanceof Promise.Refilled bucket) {
      String burst = where.burst(bucket.rate()).toPlainString();
      return "largest burst: " + burst + ", by " + where.counted() + within(where);
    }
    if (verdict.promise() instanceof Promise.Gap) {
      return gap(verdict);
    }
    return "most open: " + verdict.measured() + ", at " + instants.apply(where.from());
  }

  private String windows(Verdict verdict, long interval) {
    String windows = "fixed windows of " + Durations.format(interval);
    if (verdict.windows().broken() > 0) {
      String many = verdict.windows().broken() == 1 ? " was" : " were";
      return windows
          + ": "
          + verdict.windows().broken()
          + many
          + " too full at phase "
          + span(verdict.windows().phase());
    }
    return windows + ": fullest at phase " + span(verdict.where().phase(interval));
  }

  private static String tightest(Verdict verdict) {
    boolean overlap = verdict.promise() instanceof Promise.Gap && verdict.measured() < 0;
    return overlap ? "no gap, as they overlap" : verdict.tightest().text();
  }

  private String within(Stretch where) {
    return where.nanos() == 0
        ? " at " + instants.apply(where.from())
        : " within " + span(where.nanos()) + between(where);
  }

  private String between(Stretch where) {
    return ", from " + instants.apply(where.from()) + " to " + instants.apply(where.to());
  }

  /** Writes a span exactly: 1m, 1.2s, 950ms, 1.5us. */
  static String span(long nanos) {
    long size = Math.abs(nanos);
    if (nanos % 1_000_000_000 == 0 || size < 1000) {
      return Durations.format(nanos);
    }
    if (size > 1_000_000_000) {
      return decimal(nanos, 9) + "s";
    }
    return size < 1_000_000 ? decimal(nanos, 3) + "us" : decimal(nanos, 6) + "ms";
  }

  private static String decimal(long nanos, int decimals) {
    return BigDecimal.valueOf(nanos, decimals).stripTrailingZeros().toPlainString();
  }
}
