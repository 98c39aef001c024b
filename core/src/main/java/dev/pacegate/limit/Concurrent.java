package dev.pacegate.limit;

import dev.pacegate.limit.spi.Meter;
import dev.pacegate.time.Durations;
import java.time.Duration;
import java.util.List;

/**
 * A bound on what is open at once: {@code concurrent(4)}, or {@code concurrent(1000) of mb}.
 *
 * <p><b>Promise.</b> At any instant at most N permits are open, whatever they cost: released and
 * not yet ended, however they end. Where a cost is named, the open permits cost at most N of it
 * together: a weighted semaphore. A request that costs more than N of it is refused; one that costs
 * nothing of it is not held up. A permit that is {@linkplain dev.pacegate.limit.spi.Meter#settle
 * settled} holds from then on what it really costs: never over N if estimates are upper bounds,
 * otherwise over by at most what they were short of.
 *
 * <p>A peer may still be at work on a request that nobody here waits for any more. With {@code
 * concurrent(4, unanswered=30s)} the place of a <em>lost</em> one is taken until 30 s after its
 * start, if that is later than its end; so the peer never works on more than N, if it gives up
 * whatever takes longer than that from the release.
 *
 * @param max N, 1 or more
 * @param of what is counted: calls, or a named cost
 * @param unansweredNanos for how long a lost request may yet be at work, from its start; 0 if it is
 *     over as soon as it is given up
 */
@CheckReturnValue
public record Concurrent(long max, Measure of, long unansweredNanos) implements Limit {

  /** Checks the ranges. */
  public Concurrent {
    if (max < 1) {
      throw new IllegalArgumentException("concurrent must allow at least 1: " + max);
    }
    if (of.entry() == Measure.Entry.PLAIN) {
      throw new IllegalArgumentException("concurrent counts calls or a named cost, not the plain");
    }
    Spans.checked("unanswered", unansweredNanos);
  }

  /** Returns a limit under which a lost request is over as soon as it is given up. */
  public Concurrent(long max) {
    this(max, Measure.CALLS, 0);
  }

  /** Returns this limit counting the cost named {@code name}. */
  public Concurrent of(String name) {
    return new Concurrent(max, Measure.of(name), unansweredNanos);
  }

  /** Returns this limit with a bound on how long a lost request may yet be at work. */
  @Override
  public Concurrent unanswered(Duration bound) {
    return new Concurrent(max, of, Spans.nanos("unanswered", bound));
  }

  @Override
  public Meter newMeter(long now) {
    return new ConcurrentMeter(this);
  }

  @Override
  public List<Promise> promises() {
    return List.of(new Promise.Open(max, of, unansweredNanos));
  }

  @Override
  public Limit share(Portion portion) {
    return new Concurrent(portion.of(max, this), of, unansweredNanos);
  }

  /**
   * Returns for example {@code concurrent(4)} or {@code concurrent(1000, unanswered=30s) of mb}.
   */
  @Override
  public String toString() {
    String lost = unansweredNanos == 0 ? "" : ", unanswered=" + Durations.format(unansweredNanos);
    return "concurrent(" + max + lost + ")" + of.suffix();
  }
}
