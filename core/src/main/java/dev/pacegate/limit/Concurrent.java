package dev.pacegate.limit;

import dev.pacegate.limit.spi.Meter;
import java.time.Duration;
import java.util.List;

/**
 * A limit on open requests: {@code concurrent(4)}, a semaphore, or {@code concurrent(1000) of mb},
 * a weighted one.
 *
 * <p><b>Promise.</b> At any instant at most N permits are open (released and not yet ended),
 * whatever they cost and however they end. With a named cost, the open permits cost at most N of it
 * together; a request that costs more than N of it is refused, and one that costs nothing of it is
 * not held up. A permit that is {@linkplain dev.pacegate.limit.spi.Meter#settle settled} holds its
 * actual cost from then on: never over N if estimates are upper bounds, otherwise over by at most
 * the sum of the under-estimates.
 *
 * <p>A peer may still work on a request that its caller has given up. With {@code concurrent(4,
 * unanswered=30s)} a <em>lost</em> request keeps its place until 30 s after its start, if that is
 * later than its end. So the peer never works on more than N, provided that it gives up any request
 * 30 s after the release.
 *
 * <p>A request that never ends holds its place for good. With {@code concurrent(4, abandon=5m)} a
 * permit that has been open for 5 minutes counts as lost, so its place is free again. State more
 * than the longest request takes: one that goes on after that is one more than N.
 *
 * @param max N, 1 or more
 * @param of what is counted: calls, or a named cost
 * @param unansweredNanos how long after its start the peer may work on a lost request; 0 if a lost
 *     request is over at once
 * @param abandonNanos the age at which an open permit counts as lost; {@link Meter#NEVER} if never
 */
@CheckReturnValue
public record Concurrent(long max, Measure of, long unansweredNanos, long abandonNanos)
    implements Limit {

  /** Checks the ranges. */
  public Concurrent {
    if (max < 1) {
      throw new IllegalArgumentException("concurrent must allow at least 1: " + max);
    }
    if (of.entry() == Measure.Entry.PLAIN) {
      throw new IllegalArgumentException(
          "concurrent counts calls or a named cost, not the plain cost");
    }
    Spans.checked("unanswered", unansweredNanos);
    if (abandonNanos != Meter.NEVER) {
      Spans.positive("abandon", abandonNanos);
    }
  }

  /** Returns a limit under which a lost request is over at once. */
  public Concurrent(long max) {
    this(max, Measure.CALLS, 0, Meter.NEVER);
  }

  /** Returns this limit counting the cost named {@code name}. */
  public Concurrent of(String name) {
    return of(Measure.of(name));
  }

  Concurrent of(Measure measure) {
    return new Concurrent(max, measure, unansweredNanos, abandonNanos);
  }

  /** Returns this limit with a bound on how long the peer may work on a lost request. */
  @Override
  public Concurrent unanswered(Duration bound) {
    return new Concurrent(max, of, Spans.nanos("unanswered", bound), abandonNanos);
  }

  /** Returns this limit, which counts an open permit as lost at that age. */
  public Concurrent abandon(Duration age) {
    return new Concurrent(max, of, unansweredNanos, Spans.nanos("abandon", age));
  }

  @Override
  public Meter newMeter(long now) {
    return new ConcurrentMeter(this);
  }

  @Override
  public List<Promise> promises() {
    return List.of(new Promise.Open(max, of, unansweredNanos));
  }

  /** A lost request keeps its place until its bound, an answered one only until its end. */
  @Override
  public long memory() {
    return unansweredNanos;
  }

  @Override
  public Limit share(Portion portion) {
    return new Concurrent(portion.of(max, this), of, unansweredNanos, abandonNanos);
  }

  /**
   * Returns for example {@code concurrent(4, abandon=5m)} or {@code concurrent(1000,
   * unanswered=30s) of mb}.
   */
  @Override
  public String toString() {
    return new LimitText("concurrent", max)
            .span(Option.UNANSWERED, unansweredNanos, 0)
            .abandon(abandonNanos)
        + of.suffix();
  }
}
