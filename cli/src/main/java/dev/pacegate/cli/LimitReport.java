package dev.pacegate.cli;

import dev.pacegate.Limiter;
import dev.pacegate.audit.Report;
import dev.pacegate.audit.Verdict;
import dev.pacegate.limit.Cost;
import dev.pacegate.limit.Limit;
import dev.pacegate.limit.Promise;
import dev.pacegate.time.Durations;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Judges what went through by the limit in force, which may be another than the one given if other
 * processes share it.
 */
final class LimitReport implements Turnstile.Witness {

  private final Limiter limiter;
  private Limit limit;
  private Judge judge;
  private boolean isEmpty = true;
  private @Nullable Limit next; // that came into force when something had gone through

  LimitReport(Limiter limiter) {
    this.limiter = limiter;
    this.limit = limiter.limit();
    this.judge = new Judge(limit);
  }

  synchronized boolean followsCalendar() {
    return judge.followsCalendar();
  }

  @Override
  public synchronized void add(long start, long end, Cost cost) {
    Limit inForce = limiter.limit();
    if (isEmpty) {
      isEmpty = false;
      limit = inForce;
      judge = new Judge(limit);
    } else if (!inForce.equals(limit)) {
      next = inForce;
    }
    judge.add(start, end, cost);
  }

  /**
   * Returns whether the limit was kept; true if it was changed meanwhile, as then none is judged.
   */
  synchronized boolean kept() {
    return next != null || judge.kept();
  }

  synchronized List<String> lines() {
    if (next != null) {
      return List.of("not judged: the limit was changed from " + limit + " to " + next);
    }
    LongFunction<String> dates = nanos -> Instant.ofEpochSecond(0, nanos).toString();
    return judge.lines(judge.followsCalendar() ? dates : Durations::decimal);
  }

  /** Returns what is to be known of lines that count when they start; none if they do not. */
  synchronized List<String> linesOfStarts() {
    boolean countsStarts = !limit.promises().stream().allMatch(Promise::countsWhole);
    return next != null || !countsStarts
        ? List.of()
        : List.of(
            "what counts starts was judged by when lines were let through; each had been written at"
                + " most "
                + Durations.decimal(judge.longest())
                + " later");
  }

  /** Adds what is found, in figures. */
  synchronized void addTo(JsonLine json) {
    Report report = judge.report();
    json.add("limit", limit.toString());
    json.add("changedTo", next == null ? null : next.toString());
    json.add("kept", next == null ? judge.kept() : null);
    json.add("requests", report.count());
    json.add("cost", report.cost());
    json.addSeconds("seconds", report.last() - report.first());
    json.addSeconds("waitedSeconds", limiter.snapshot().waits().total().toNanos());
    var promises = new ArrayList<JsonLine>();
    for (Verdict verdict : next == null ? report.verdicts() : List.<Verdict>of()) {
      var one = new JsonLine();
      one.add("promise", verdict.promise().text());
      one.add("kept", verdict.kept());
      one.add("measured", verdict.where().isEmpty() ? null : verdict.measured());
      one.add("fits", verdict.tightest().text());
      promises.add(one);
    }
    json.add("promises", promises);
  }
}
