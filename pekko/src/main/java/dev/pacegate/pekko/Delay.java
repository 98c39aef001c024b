package dev.pacegate.pekko;

import static java.util.Objects.requireNonNull;

import dev.pacegate.time.Time;
import java.time.Duration;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.apache.pekko.NotUsed;
import org.apache.pekko.stream.javadsl.DelayStrategy;
import org.apache.pekko.stream.javadsl.Flow;

/**
 * Delays each element of a stream for as long as a strategy says, one element at a time.
 *
 * <p>The next element is taken in only when the last one has left. So elements keep their order,
 * and two of them leave at least as far apart as the second is delayed.
 *
 * <p><b>Ends.</b> Completion upstream lets the element that is held go first, in its time. Failure
 * upstream and cancellation downstream end the stage at once, and the element is lost.
 *
 * <p>If the strategy throws, the supervision strategy decides: stop fails the stage, resume leaves
 * that element out, restart also begins with a new delay strategy.
 */
public final class Delay {

  private Delay() {}

  /**
   * Returns a flow that delays each element by {@code delay}; a delay that is not positive is none.
   */
  public static <T> Flow<T, T, NotUsed> fixed(Duration delay) {
    requireNonNull(delay);
    return by(() -> element -> delay);
  }

  /**
   * Returns a flow that delays by {@code step} more than the last element, up to {@code max}, as
   * long as {@code increases} says so of the elements, and by {@code initial} as soon as it does
   * not. The first element is measured against {@code initial}.
   *
   * @throws IllegalArgumentException unless {@code step} is positive and {@code 0 <= initial < max}
   */
  public static <T> Flow<T, T, NotUsed> linearIncreasing(
      Duration step, Duration initial, Duration max, Predicate<? super T> increases) {
    return by(LinearDelay.strategies(step, initial, max, increases));
  }

  /** Returns a flow that delays as a strategy says of which each materialisation has its own. */
  public static <T> Flow<T, T, NotUsed> by(
      Supplier<? extends DelayStrategy<? super T>> strategies) {
    return by(strategies, Time.system());
  }

  /** As {@link #by(Supplier)}, with another clock and timer: for tests. */
  public static <T> Flow<T, T, NotUsed> by(
      Supplier<? extends DelayStrategy<? super T>> strategies, Time time) {
    return Flow.fromGraph(new DelayStage<T>(requireNonNull(strategies), requireNonNull(time)));
  }
}
