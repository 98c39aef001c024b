package dev.pacegate.pekko;

import static java.util.Objects.requireNonNull;

import dev.pacegate.Limiter;
import dev.pacegate.limit.Bucket;
import dev.pacegate.limit.Cost;
import dev.pacegate.limit.Limit;
import dev.pacegate.limit.Limits;
import java.math.BigInteger;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.apache.pekko.NotUsed;
import org.apache.pekko.stream.ThrottleMode;
import org.apache.pekko.stream.javadsl.Flow;
import scala.concurrent.duration.FiniteDuration;

/**
 * Flows that pass elements on no faster than a limiter allows.
 *
 * <pre>{@code
 * Limiter api = Limiter.of("10/1s");
 * source.via(Throttle.of(api))                               // shared with other users of the limiter
 *     .via(Throttle.of("100/1m"))                            // a limiter for each materialisation
 *     .via(Throttle.byCost(bytes, m -> Cost.of(m.length()))) // by cost
 *     .via(Throttle.of(10, Duration.ofSeconds(1), 5));       // as Pekko's throttle
 * }</pre>
 *
 * <p>Every flow can be materialised any number of times, from Java and from Scala. A given limiter
 * may be shared by any number of streams and other users; a change of it ({@link Limiter#setLimit},
 * {@code pause}, {@code close}) takes effect on waiting elements at once. A limit or text gives
 * each materialisation a limiter of its own, which is closed at its end.
 *
 * <p><b>Shaping.</b> {@code of} holds an element until there is a permit. The stage takes the
 * permit itself and pushes the element in the same step, so an element leaves at the instant of its
 * release. Elements keep their order, and at most one is held; it waits in the limiter's queue with
 * all other waiters. No thread waits, and no timer runs while nothing waits.
 *
 * <p><b>Enforcing.</b> {@code enforcing} fails the stream with Pekko's {@link
 * org.apache.pekko.stream.RateExceededException} at an element for which no permit is available at
 * once.
 *
 * <p><b>Ends.</b> When upstream completes, the element held goes when its permit comes, and then
 * the stream completes. When upstream fails, the stream fails at once and the element held is
 * dropped. Cancelling leaves the limiter's queue, at no cost. If the limiter refuses ({@link
 * dev.pacegate.RefusedException}: it is closed, its queue is full, the cost can never pass; {@link
 * IllegalArgumentException}: it does not {@linkplain Limiter#requireCounted count} the cost), the
 * stream fails with that exception.
 *
 * <p><b>Cost.</b> The methods with a cost function have names of their own, as Scala 2.13 infers no
 * parameter of a function literal where methods of one name differ in their number of arguments. It
 * takes {@code Throttle.byCost[Sms](api, m => Cost.of(m.length))}. The function is called once per
 * element. If it throws, the stream's supervision strategy decides: stop fails the stream with that
 * error, resume and restart both skip the element; nothing is charged.
 *
 * <p>A permit ends once its element has been pushed. For a limit that counts until the answer is in
 * ({@code peer(10/1s)}, {@code concurrent(4)}), let the permit cover the work: {@link #mapAsync}.
 * The other flows refuse such a limit, also if it is that of all keys and the limiter that of one,
 * if it is in force when the flow is made, with an {@code IllegalArgumentException}.
 */
public final class Throttle {

  private static final BigInteger AUTOMATIC_BURST_NANOS = BigInteger.valueOf(100_000_000);

  private Throttle() {}

  // ---- shaping

  /** Returns a flow in which each element waits for a permit of {@code limiter}. */
  public static <T> Flow<T, T, NotUsed> of(Limiter limiter) {
    return byCost(limiter, element -> Cost.ONE);
  }

  /** As {@link #of(Limiter)}, with a new limiter for each materialisation. */
  public static <T> Flow<T, T, NotUsed> of(Limit limit) {
    return byCost(limit, element -> Cost.ONE);
  }

  /**
   * As {@link #of(Limit)}, with the limit as text.
   *
   * @throws dev.pacegate.limit.LimitFormatException if the text is no limit
   */
  public static <T> Flow<T, T, NotUsed> of(String limit) {
    return of(Limits.parse(limit));
  }

  /** As {@link #of(Limit)} with {@link #limit(long, Duration)}. */
  public static <T> Flow<T, T, NotUsed> of(long elements, Duration per) {
    return of(limit(elements, per));
  }

  /** As {@link #of(Limit)} with {@link #limit(long, Duration, long)}. */
  public static <T> Flow<T, T, NotUsed> of(long elements, Duration per, long maximumBurst) {
    return of(limit(elements, per, maximumBurst));
  }

  /** As {@link #of(long, Duration)}, for Scala. */
  public static <T> Flow<T, T, NotUsed> of(long elements, FiniteDuration per) {
    return of(limit(elements, per));
  }

  /** As {@link #of(long, Duration, long)}, for Scala. */
  public static <T> Flow<T, T, NotUsed> of(long elements, FiniteDuration per, long maximumBurst) {
    return of(limit(elements, per, maximumBurst));
  }

  /** As {@link #of(Limiter)}, at the cost that {@code cost} returns. */
  public static <T> Flow<T, T, NotUsed> byCost(Limiter limiter, Function<T, Cost> cost) {
    return byCost(LimiterSource.sharing(limiter), cost);
  }

  /** As {@link #of(Limit)}, at the cost that {@code cost} returns. */
  public static <T> Flow<T, T, NotUsed> byCost(Limit limit, Function<T, Cost> cost) {
    return byCost(LimiterSource.owning(limit), cost);
  }

  /** As {@link #of(String)}, at the cost that {@code cost} returns. */
  public static <T> Flow<T, T, NotUsed> byCost(String limit, Function<T, Cost> cost) {
    return byCost(Limits.parse(limit), cost);
  }

  static <T> Flow<T, T, NotUsed> byCost(LimiterSource source, Function<T, Cost> cost) {
    return Flow.fromGraph(new ThrottleStage<T>(source, ThrottleMode.shaping(), cost));
  }

  // ---- enforcing

  /** Returns a flow that fails at an element for which {@code limiter} has no permit at once. */
  public static <T> Flow<T, T, NotUsed> enforcing(Limiter limiter) {
    return enforcingByCost(limiter, element -> Cost.ONE);
  }

  /** As {@link #enforcing(Limiter)}, at the cost that {@code cost} returns. */
  public static <T> Flow<T, T, NotUsed> enforcingByCost(Limiter limiter, Function<T, Cost> cost) {
    return enforcingByCost(LimiterSource.sharing(limiter), cost);
  }

  /** As {@link #enforcing(Limiter)}, with a new limiter for each materialisation. */
  public static <T> Flow<T, T, NotUsed> enforcing(Limit limit) {
    return enforcingByCost(limit, element -> Cost.ONE);
  }

  /** As {@link #enforcing(Limit)}, at the cost that {@code cost} returns. */
  public static <T> Flow<T, T, NotUsed> enforcingByCost(Limit limit, Function<T, Cost> cost) {
    return enforcingByCost(LimiterSource.owning(limit), cost);
  }

  static <T> Flow<T, T, NotUsed> enforcingByCost(LimiterSource source, Function<T, Cost> cost) {
    return Flow.fromGraph(new ThrottleStage<T>(source, ThrottleMode.enforcing(), cost));
  }

  // ---- with permits that cover the work

  /**
   * Returns a flow that calls an asynchronous function for each element, and passes on the results
   * in order. The function is called when there is a permit of {@code limiter}, and the permit ends
   * when the stage that it returns does: see {@link Limiter#callAsync}. When the stream ends,
   * waiting calls are not made, and calls under way are cancelled. If a call fails, or the limiter
   * refuses, the supervision strategy decides, as with Pekko's own {@code mapAsync}.
   *
   * @param parallelism how many elements may have a call under way or waiting
   * @throws IllegalArgumentException if {@code parallelism} is not positive
   */
  public static <T, R> Flow<T, R, NotUsed> mapAsync(
      Limiter limiter,
      int parallelism,
      Function<? super T, ? extends CompletionStage<R>> function) {
    return mapAsyncByCost(limiter, element -> Cost.ONE, parallelism, function);
  }

  /** As {@link #mapAsync(Limiter, int, Function)}, at the cost that {@code cost} returns. */
  public static <T, R> Flow<T, R, NotUsed> mapAsyncByCost(
      Limiter limiter,
      Function<? super T, Cost> cost,
      int parallelism,
      Function<? super T, ? extends CompletionStage<R>> function) {
    requireNonNull(limiter);
    requireNonNull(cost);
    requireNonNull(function);
    if (parallelism < 1) {
      throw new IllegalArgumentException("parallelism must be at least 1: " + parallelism);
    }
    return Calls.of(
        parallelism,
        (element, made) ->
            limiter.callAsync(
                cost.apply(element),
                () -> {
                  made.run();
                  return function.apply(element);
                }));
  }

  // ---- what Pekko's numbers mean

  /**
   * Returns the limit of Pekko's {@code throttle(elements, per)}: a bucket with the automatic
   * burst, what the rate gives in 100 ms, but at least 1.
   *
   * @throws IllegalArgumentException if {@code elements} or {@code per} is not positive, or that is
   *     more than one element per nanosecond
   */
  public static Bucket limit(long elements, Duration per) {
    Bucket bucket = Limits.bucket(elements, per);
    BigInteger burst =
        AUTOMATIC_BURST_NANOS
            .multiply(BigInteger.valueOf(elements))
            .divide(BigInteger.valueOf(bucket.rate().nanos()));
    return bucket.burst(Math.max(1, burst.longValueExact()));
  }

  /** As {@link #limit(long, Duration)}, for Scala. */
  public static Bucket limit(long elements, FiniteDuration per) {
    return limit(elements, Duration.ofNanos(per.toNanos()));
  }

  /** As {@link #limit(long, Duration, long)}, for Scala. */
  public static Bucket limit(long elements, FiniteDuration per, long maximumBurst) {
    return limit(elements, Duration.ofNanos(per.toNanos()), maximumBurst);
  }

  /**
   * Returns the limit of Pekko's {@code throttle(elements, per, maximumBurst, …)}: a bucket. A
   * burst of 0, where even the first element waits, is a bucket of burst 1 that is empty at first.
   *
   * @throws IllegalArgumentException if {@code elements} or {@code per} is not positive, that is
   *     more than one element per nanosecond, or {@code maximumBurst} is negative, or takes more
   *     than a hundred years to come
   */
  public static Bucket limit(long elements, Duration per, long maximumBurst) {
    if (maximumBurst < 0) {
      throw new IllegalArgumentException("maximumBurst must not be negative: " + maximumBurst);
    }
    Bucket bucket = Limits.bucket(elements, per);
    return maximumBurst == 0 ? bucket.initial(Bucket.Initial.EMPTY) : bucket.burst(maximumBurst);
  }
}
