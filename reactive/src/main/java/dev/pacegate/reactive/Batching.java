package dev.pacegate.reactive;

import static java.util.Objects.requireNonNull;

import dev.pacegate.limit.Cost;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;
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
 * @param cost the cost of a batch; null, the default, for 1
 */
public record Batching<T>(
    int maxCount,
    long maxWeight,
    ToLongFunction<? super T> weight,
    @Nullable Interval linger,
    @Nullable Function<List<T>, Cost> cost) {

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
    return new Batching<>(maxCount, Long.MAX_VALUE, element -> 0, null, null);
  }

  /**
   * Returns these batches with a bound on their weight, too. An element heavier than {@code
   * maxWeight} goes alone.
   *
   * @param weight the weight of an element; a negative weight, or an exception, fails the stream
   */
  public Batching<T> weighing(long maxWeight, ToLongFunction<? super T> weight) {
    return new Batching<>(maxCount, maxWeight, weight, linger, cost);
  }

  /** Returns these batches, which wait for others for so long unless they are full before. */
  public Batching<T> linger(Interval linger) {
    return new Batching<>(maxCount, maxWeight, weight, requireNonNull(linger), cost);
  }

  /** As {@link #linger(Interval)}; zero means not at all. */
  public Batching<T> linger(Duration linger) {
    return linger.isZero()
        ? new Batching<>(maxCount, maxWeight, weight, null, cost)
        : linger(Interval.of(linger));
  }

  /**
   * Returns these batches at the cost that {@code cost} returns, for peers that count what is in a
   * batch: {@code batch -> Cost.of(batch.size())}. It is called when the batch asks for its permit;
   * elements that come afterwards join the next batch. If it throws, or the limit can never let
   * that cost through, the stream fails.
   */
  public Batching<T> costing(Function<List<T>, Cost> cost) {
    return new Batching<>(maxCount, maxWeight, weight, linger, requireNonNull(cost));
  }

  long weightOf(T element) {
    long actual = weight.applyAsLong(element);
    if (actual < 0) {
      throw new IllegalArgumentException("a weight must not be negative: " + actual);
    }
    return actual;
  }
}
