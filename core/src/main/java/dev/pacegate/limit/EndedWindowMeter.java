package dev.pacegate.limit;

import dev.pacegate.limit.spi.Losses;
import org.jspecify.annotations.Nullable;

/**
 * The common state of the meters of a {@link Peer} window: when the last units ended.
 *
 * <p>A lost permit has its end in the future: units are kept in the order of their ends, whenever
 * they become known.
 */
abstract class EndedWindowMeter extends CappedMeter {

  final long interval;
  final long bound;
  final TimestampRuns ended; // all units that are over, or will be at a known instant
  private @Nullable TimestampRuns lost; // those lost under this limit, by their ends

  /**
   * @param rate the peer's, the margin included
   * @param bound how long after its start a lost request may yet be counted
   */
  EndedWindowMeter(Rate rate, Measure measure, long bound) {
    super(measure, rate.permits());
    this.interval = rate.nanos();
    this.bound = bound;
    this.ended = runs();
  }

  final TimestampRuns runs() {
    return new TimestampRuns(max, interval, bound);
  }

  /** Returns the peer's rate, the margin included: made anew, as it is seldom asked for. */
  final Rate rate() {
    return new Rate(max, interval);
  }

  final long untilAged(long unit, long now) {
    return ended.knows(unit) ? Nanos.until(ended.stampOf(unit), interval, now) : 0;
  }

  final void lose(long now, long until, long amount) {
    if (lost == null) {
      lost = runs();
    }
    lost.add(now, until, amount);
  }

  @Override
  public final Losses losses(long now, Cost cost) {
    return lost == null
        ? Losses.NONE
        : new Losses(Math.min(max, lost.known() - lost.unitsUntil(now - interval)), max);
  }

  @Override
  public final boolean tracks() {
    return true;
  }
}
