package dev.pacegate.pekko;

import static java.util.Objects.requireNonNull;

import dev.pacegate.time.Time;
import java.time.Duration;
import org.apache.pekko.NotUsed;
import org.apache.pekko.stream.javadsl.Flow;

/**
 * Flows that request one element at a time, and not before an interval has passed since the last
 * one left. So a source that produces its element on request produces a fresh one.
 *
 * <p><b>Promise.</b> Two elements leave at least the interval apart, however long upstream takes to
 * answer. Nothing is held, and nothing is saved up while there is no demand.
 *
 * <p>Completion, failure and cancellation end the stage at once.
 */
public final class Pulse {

  private Pulse() {}

  /**
   * Returns a flow that requests the first element an interval after it has started.
   *
   * @throws IllegalArgumentException if {@code interval} is not positive, or more than a hundred
   *     years
   */
  public static <T> Flow<T, T, NotUsed> of(Duration interval) {
    return of(interval, false);
  }

  /**
   * Returns a flow that requests the first element an interval after it has started, or at once if
   * {@code initiallyOpen}.
   *
   * @throws IllegalArgumentException if {@code interval} is not positive, or more than a hundred
   *     years
   */
  public static <T> Flow<T, T, NotUsed> of(Duration interval, boolean initiallyOpen) {
    return of(interval, initiallyOpen, Time.system());
  }

  /** As {@link #of(Duration, boolean)}, with another clock and timer: for tests. */
  public static <T> Flow<T, T, NotUsed> of(Duration interval, boolean initiallyOpen, Time time) {
    long nanos = SpanNanos.positive("interval", interval);
    return Flow.fromGraph(new PulseStage<T>(nanos, initiallyOpen, requireNonNull(time)));
  }
}
