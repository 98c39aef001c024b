package dev.pacegate.cli;

import dev.pacegate.audit.Audit;
import dev.pacegate.audit.Report;
import dev.pacegate.audit.Verdict;
import dev.pacegate.limit.Cost;
import dev.pacegate.limit.Limit;
import dev.pacegate.limit.Promise;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongFunction;

/** An audit of promises that also measures the smallest gap. */
final class Judge {

  private final Audit audit;
  private final boolean followsCalendar;
  private long longest;
  private final Audit gap = Audit.of(List.of(new Promise.Gap(1, false)));

  Judge(Limit limit) {
    this(limit.promises());
  }

  Judge(List<Promise> promises) {
    this.audit = Audit.of(promises);
    this.followsCalendar = promises.stream().anyMatch(Promise::followsCalendar);
  }

  /**
   * Adds a request.
   *
   * @throws dev.pacegate.audit.OutOfOrderException if it starts before the last one
   */
  void add(long start, long end, Cost cost) {
    audit.add(start, end, cost);
    gap.add(start, start, cost);
    longest = Math.max(longest, end - start);
  }

  /** Returns the longest time from a start to its end. */
  long longest() {
    return longest;
  }

  /** Returns whether instants must be nanoseconds since 1970, rather than from any origin. */
  boolean followsCalendar() {
    return followsCalendar;
  }

  boolean kept() {
    return audit.report().kept();
  }

  /** Returns the findings so far. */
  Report report() {
    return audit.report();
  }

  /** Returns the smallest gap between starts. */
  Verdict gap() {
    return gap.verdict();
  }

  /** Returns the findings, with instants formatted by {@code instants}. */
  List<String> lines(LongFunction<String> instants) {
    Report report = audit.report();
    var lines = new ArrayList<>(report.text(instants).lines().toList());
    if (report.count() > 0) {
      Verdict found = gap.verdict();
      lines.add(1, found.where().isEmpty() ? "smallest gap: none" : found.found(instants));
    }
    return lines;
  }
}
