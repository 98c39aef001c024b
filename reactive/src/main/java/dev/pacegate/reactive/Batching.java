package dev.pacegate.reactive;

import static java.util.Objects.requireNonNull;

import java.time.Duration;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * What goes together in a batch.
 *
 * @param <T> the elements
 * @param maxCount how many at most; at least 1
 * @param maxWeight how heavy a batch may be, unless it is of one element; no bound unless stated
 * @param weight what an element weighs, 0 or more; nothing unless stated
 * @param linger how long the first of a batch waits for others at most if nothing else holds it up;
 *     null, as it is unless stated, if not at all
 */
public record Batching<T>(
    int maxCount, long maxWeight, ToLongFunction<? super T> weight, @Nullable Interval linger) {

  /** Checks the ranges. */
  public Batching {
    if (maxCount < 1) {
      throw new IllegalArgumentException("maxCount must be at least 1: " + maxCount);
    }
    if (maxWeight < 1) {
      throw new IllegalArgumentException("maxWeight must be at least 1: " + maxWeight);
    }
    requireNonNull(weight);
  }

  /** Returns batches of {@code maxCount} elements at most. */
  public static <T> Batching<T> ofAtMost(int maxCount) {
    return new Batching<>(maxCount, Long.MAX_VALUE, element -> 0, null);
  }

  /**
   * Returns these batches bounded by weight, too. An element heavier than {@code maxWeight} goes
   * alone.
   *
   * @param weight what an element weighs; what is negative, or thrown, fails the stream
   */
  public Batching<T> weighing(long maxWeight, ToLongFunction<? super T> weight) {
    return new Batching<>(maxCount, maxWeight, weight, linger);
  }

  /** Returns these batches waiting for others for so long, unless they are full before. */
  public Batching<T> linger(Interval linger) {
    return new Batching<>(maxCount, maxWeight, weight, requireNonNull(linger));
  }

  /** As {@link #linger(Interval)}; zero means not at all. */
  public Batching<T> linger(Duration linger) {
    return linger.isZero()
        ? new Batching<>(maxCount, maxWeight, weight, null)
        : linger(Interval.of(linger));
  }

  long weightOf(T element) {
    long actual = weight.applyAsLong(element);
    if (actual < 0) {
      throw new IllegalArgumentException("a weight must not be negative: " + actual);
    }
    return actual;
  }
}
