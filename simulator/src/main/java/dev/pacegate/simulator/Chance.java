package dev.pacegate.simulator;

import java.util.SplittableRandom;

/**
 * The random numbers of a world: a stream that a seed determines for ever.
 *
 * <p>Of {@link SplittableRandom}, a specified algorithm (SplitMix64), it uses only the 64 random
 * bits, and of floating-point functions only those of {@link StrictMath}: everything else may
 * differ between JDKs and processors.
 */
public final class Chance {

  private static final double UNIT = 0x1p-53;

  private final SplittableRandom bits;
  private double spare;
  private boolean hasSpare;

  Chance(long seed) {
    this(new SplittableRandom(seed));
  }

  private Chance(SplittableRandom bits) {
    this.bits = bits;
  }

  /** Returns another stream, independent of what this one returns from now on. */
  Chance split() {
    return new Chance(bits.split());
  }

  /** Returns a number from 0 to less than 1. */
  double fraction() {
    return (bits.nextLong() >>> 11) * UNIT;
  }

  /** Returns a number from 0 to less than {@code bound}, by the high half of a product. */
  long below(long bound) {
    return Math.multiplyHigh(bits.nextLong() >>> 1, bound << 1);
  }

  /** Returns true with a probability of {@code millionths} in a million. */
  boolean happens(int millionths) {
    return millionths > 0 && below(1_000_000) < millionths;
  }

  /** Returns a number of the exponential distribution with mean 1. */
  double exponential() {
    return -StrictMath.log(1 - fraction());
  }

  /** Returns a number of the standard normal distribution, by the polar method. */
  double gaussian() {
    if (hasSpare) {
      hasSpare = false;
      return spare;
    }
    double x;
    double y;
    double square;
    do {
      x = 2 * fraction() - 1;
      y = 2 * fraction() - 1;
      square = x * x + y * y;
    } while (square >= 1 || square == 0);
    double factor = StrictMath.sqrt(-2 * StrictMath.log(square) / square);
    spare = y * factor;
    hasSpare = true;
    return x * factor;
  }
}
