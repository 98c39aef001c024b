package dev.pacegate.limit;

import dev.pacegate.limit.spi.Meter;
import java.util.ArrayList;
import java.util.List;

/** A bound on what is open. */
final class NaiveCount implements Naive {

  private final long max;
  private final long unanswered;
  private final List<Long> over = new ArrayList<>(); // when each is that was lost
  private long open;

  NaiveCount(long max, long unanswered) {
    this.max = max;
    this.unanswered = unanswered;
  }

  @Override
  public long wait(long since, long now, Cost cost) {
    if (cost.calls() > max) {
      return Meter.NEVER;
    }
    if (max == Long.MAX_VALUE || fits(now, cost)) {
      return 0;
    }
    return over.stream()
        .filter(instant -> instant > now && fits(instant, cost))
        .mapToLong(instant -> instant - now)
        .min()
        .orElse(Meter.AT_EVENT);
  }

  private boolean fits(long instant, Cost cost) {
    return open + cost.calls() + over.stream().filter(end -> end > instant).count() <= max;
  }

  @Override
  public void release(long since, long now, Cost cost) {
    open += cost.calls();
  }

  @Override
  public void end(long startedAt, long now, Cost cost, Outcome end) {
    open -= cost.calls();
    if (end == Outcome.LOST) {
      over.add(startedAt + unanswered);
    }
  }
}
