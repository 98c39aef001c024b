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
 * Judges what went through by the limit that was in force when the first was let through, which may
 * be another than the one given if other processes share it. If it changes, nothing is judged.
 */
final class LimitReport implements Turnstile.Witness {

  private final Limiter limiter;
  private Limit limit;
  private Judge judge;
  private boolean hasBegun;
  private @Nullable Limit next; // that came into force meanwhile
  private @Nullable String reason; // why nothing is judged

  LimitReport(Limiter limiter) {
    this.limiter = limiter;
    this.limit = limiter.limit();
    this.judge = new Judge(limit);
  }

  /** Returns whether instants are by the time of day; settled by the first {@link #notice}. */
  @Override
  public synchronized boolean followsCalendar() {
    return judge.followsCalendar();
  }

  /** Looks whether the limit is another now: when a request goes, and when it ends. */
  @Override
  public synchronized void notice() {
    Limit inForce = limiter.limit();
    if (!hasBegun) {
      hasBegun = true;
      limit = inForce;
      judge = new Judge(limit);
    } else if (next == null && !inForce.equals(limit)) {
      next = inForce;
      giveUp("the limit was changed from " + limit + " to " + inForce);
    }
  }

  /** Judges nothing, for a reason; the first is told. */
  synchronized void giveUp(String reason) {
    this.reason = this.reason == null ? reason : this.reason;
  }

  @Override
  public synchronized void add(long start, long end, Cost cost) {
    notice();
    judge.add(start, end, cost);
  }

  /** Returns the exit status, which tells of a broken limit only if nothing else is to tell. */
  synchronized int status(int otherwise) {
    boolean isBroken = reason == null && !judge.kept();
    return otherwise == Status.OK && isBroken ? Status.BROKEN : otherwise;
  }

  synchronized List<String> lines() {
    if (reason != null) {
      return List.of("not judged: " + reason);
    }
    return judge.lines(instants());
  }

  private LongFunction<String> instants() {
    LongFunction<String> dates = nanos -> Instant.ofEpochSecond(0, nanos).toString();
    return judge.followsCalendar() ? dates : Durations::decimal;
  }

  /** Returns what is to be known of lines that count when they start; none if they do not. */
  synchronized List<String> linesOfStarts() {
    boolean countsStarts = !limit.promises().stream().allMatch(Promise::countsWhole);
    return reason != null || !countsStarts
        ? List.of()
        : List.of(
            "what counts starts was judged by when lines were let through; each had been written at"
                + " most "
                + Durations.decimal(judge.longest())
                + " later");
  }

  private static List<String> texts(Limit limit) {
    return limit.terms().stream().map(Limit::toString).toList();
  }

  /** Adds what is found, in figures. */
  synchronized void addTo(JsonLine json) {
    Report report = judge.report();
    json.add("limits", texts(limit));
    json.add("changedTo", next == null ? null : texts(next));
    json.add("notJudged", reason);
    json.add("kept", reason == null ? judge.kept() : null);
    json.add("requests", report.count());
    json.add("cost", report.cost());
    json.addSeconds("seconds", report.last() - report.first());
    json.addSeconds("waitedSeconds", limiter.snapshot().waits().total().toNanos());
    var promises = new ArrayList<JsonLine>();
    for (Verdict verdict : reason == null ? report.verdicts() : List.<Verdict>of()) {
      promises.add(AuditJson.of(verdict, instants()));
    }
    json.add("promises", promises);
  }
}
