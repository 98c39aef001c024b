package dev.pacegate.examples.recipes;

import dev.pacegate.Limiter;
import java.util.List;

/** Ten a minute, without ten at once. */
final class Evenly {

  private Evenly() {}

  static List<Limiter> limiters() {
    return List.of(
        Limiter.of("peer(spacing(6s))"), // one every six seconds
        Limiter.of("peer(10/1m & spacing(1s))"), // ten in any minute, a second apart
        Limiter.of("peer(bucket(10/1m, burst=3))")); // three at once, then one every six seconds
  }
}
