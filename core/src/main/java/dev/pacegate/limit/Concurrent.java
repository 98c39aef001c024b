package dev.pacegate.limit;

import java.util.List;

/**
 * A bound on what is open at once: {@code concurrent(4)}.
 *
 * <p><b>Promise.</b> At any instant at most N permits are open, whatever they cost: released and
 * not yet ended, however they end.
 *
 * @param max N, 1 or more
 */
public record Concurrent(long max) implements Limit {

  /** Checks the range. */
  public Concurrent {
    if (max < 1) {
      throw new IllegalArgumentException("concurrent must allow at least 1: " + max);
    }
  }

  @Override
  public Meter newMeter(long now) {
    return new ConcurrentMeter(max);
  }

  @Override
  public List<Promise> promises() {
    return List.of(new Promise.Open(max));
  }

  @Override
  public Limit share(int percent) {
    return new Concurrent(Portion.of(percent, max, this));
  }

  @Override
  public Limit rest(int... percents) {
    return new Concurrent(Portion.rest(max, percents));
  }

  /** Returns for example {@code concurrent(4)}. */
  @Override
  public String toString() {
    return "concurrent(" + max + ")";
  }
}
