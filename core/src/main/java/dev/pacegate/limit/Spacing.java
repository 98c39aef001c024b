package dev.pacegate.limit;

import dev.pacegate.limit.spi.Meter;
import dev.pacegate.time.Durations;
import java.util.List;

/**
 * A minimum gap between starts: {@code spacing(100ms)}.
 *
 * <p><b>Promise.</b> Any two releases are at least G apart, whatever they cost. It counts calls:
 * for requests that cost more than 1, join a limit that counts the cost, as in {@code 30/1s &
 * spacing(33ms)}.
 *
 * <p><b>Formula.</b> A request goes when the last release was G ago: a window of one call. Lateness
 * is never made up for, so a spacing of G delivers a little less than one per G.
 *
 * @param gapNanos G in nanoseconds, 1 or more
 */
public record Spacing(long gapNanos) implements Limit {

  /** Checks the range. */
  public Spacing {
    Spans.positive("the gap of a spacing", gapNanos);
  }

  @Override
  public Meter newMeter(long now) {
    return new WindowMeter(new Rate(1, gapNanos), Measure.CALLS);
  }

  @Override
  public List<Promise> promises() {
    return List.of(new Promise.Gap(gapNanos, false));
  }

  /** Returns a longer gap, for a share of the releases. */
  @Override
  public Limit share(Portion portion) {
    return new Spacing(portion.longer(gapNanos, this));
  }

  @Override
  public Limit asPeerCounts() {
    return Peer.of(this);
  }

  /** Returns for example {@code spacing(100ms)}. */
  @Override
  public String toString() {
    return "spacing(" + Durations.format(gapNanos) + ")";
  }
}
