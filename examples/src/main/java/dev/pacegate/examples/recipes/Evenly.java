package dev.pacegate.examples.recipes;

import dev.pacegate.Limiter;

/** Ten a minute, without ten at once. */
final class Evenly {

  private Evenly() {}

  static final Limiter ONE = Limiter.of("peer(spacing(6s))"); // one every six seconds
  static final Limiter TEN = Limiter.of("peer(10/1m) & spacing(1s)"); // ten, a second apart
  static final Limiter FEW = Limiter.of("peer(10/1m & bucket(10/1m, burst=3))"); // 3 at once
}
