package dev.pacegate.cli;

import dev.pacegate.Limiter;
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
 * Judges what went through a pipe by the limit in force, which may be another than the one given if
 * other processes share it.
 */
final class PipeReport implements Turnstile.Witness {

  private final Limiter limiter;
  private Limit limit;
  private Judge judge;
  private boolean isEmpty = true;
  private @Nullable Limit next; // that came into force when something had gone through

  PipeReport(Limiter limiter) {
    this.limiter = limiter;
    this.limit = limiter.limit();
    this.judge = new Judge(limit);
  }

  boolean followsCalendar() {
    return judge.followsCalendar();
  }

  @Override
  public void add(long start, long end, Cost cost) {
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
  boolean kept() {
    return next != null || judge.kept();
  }

  List<String> lines() {
    if (next != null) {
      return List.of("not judged: the limit was changed from " + limit + " to " + next);
    }
    LongFunction<String> dates = nanos -> Instant.ofEpochSecond(0, nanos).toString();
    var lines = new ArrayList<>(judge.lines(judge.followsCalendar() ? dates : Durations::decimal));
    if (!limit.promises().stream().allMatch(Promise::countsWhole)) {
      lines.add(
          "what counts starts was judged by when lines were let through; each had been written at"
              + " most "
              + Durations.decimal(judge.longest())
              + " later");
    }
    return lines;
  }
}
