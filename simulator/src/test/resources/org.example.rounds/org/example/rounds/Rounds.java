package org.example.rounds;

import dev.pacegate.limit.Limit;
import dev.pacegate.limit.Promise;
import dev.pacegate.limit.spi.Meter;
import java.time.Duration;
import java.util.List;

/**
 * So much, and then a break: {@code rounds(100, 10s)}.
 *
 * <p><b>Promise.</b> After M, nothing is released until nothing has been for the break P.
 */
record Rounds(long max, Duration rest) implements Limit {

  Rounds {
    if (max < 1) {
      throw new IllegalArgumentException("a round must allow at least 1: " + max);
    }
    if (rest.isNegative() || rest.isZero()) {
      throw new IllegalArgumentException("the break must be at least 1ns: " + rest);
    }
  }

  @Override
  public Meter newMeter(long now) {
    return new RoundsMeter(max, rest.toNanos());
  }

  @Override
  public List<Promise> promises() {
    return List.of(new RoundsPromise(max, rest.toNanos()));
  }

  @Override
  public String toString() {
    return "rounds(" + max + ", " + rest + ")";
  }
}
