package dev.pacegate.reactive;

import static java.util.Objects.requireNonNull;

import java.time.Duration;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * The size of batches: an immutable value.
 *
 * @param <T> the type of elements
 * @param maxCount the most elements in a batch; at least 1
 * @param maxWeight the greatest weight of a batch of more than one element; default: unbounded
 * @param weight the weight of an element, 0 or more; default: 0
 * @param linger how long the first element of a batch waits for others at most, if nothing else
 *     holds it up; null, the default, for not at all
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

  /** Returns batches of at most {@code maxCount} elements. */
  public static <T> Batching<T> ofAtMost(int maxCount) {
    return new Batching<>(maxCount, Long.MAX_VALUE, element -> 0, null);
  }

  /**
   * Returns these batches with a bound on their weight, too. An element heavier than {@code
   * maxWeight} goes alone.
   *
   * @param weight the weight of an element; a negative weight, or an exception, fails the stream
   */
  public Batching<T> weighing(long maxWeight, ToLongFunction<? super T> weight) {
    return new Batching<>(maxCount, maxWeight, weight, linger);
  }

  /** Returns these batches, which wait for others for so long unless they are full before. */
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
