package dev.pacegate.reactive;

import static java.util.Objects.requireNonNull;

import dev.pacegate.Limiter;
import dev.pacegate.limit.Cost;
import dev.pacegate.limit.Limit;
import dev.pacegate.limit.Limits;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.BiFunction;
import java.util.function.BinaryOperator;
import java.util.function.Function;
import org.reactivestreams.Subscriber;

/**
 * The operators: each method returns an {@link Operator}, to be applied to a publisher.
 *
 * <pre>{@code
 * Limiter api = Limiter.of("10/1s");                                // may be shared by any number of streams
 * flux.transform(Pace.throttle(api));                               // each element as soon as it may go
 * flux.transform(Pace.mapThrottled(api, sms -> sendAsync(sms)));    // a permit for each call
 * flux.transform(Pace.enforce(api));                                // too fast is a failure
 * }</pre>
 *
 * <p><b>All of them.</b> Elements keep their order, and nothing is dropped, where nothing else is
 * said. Upstream is asked for one element at a time, and for none before downstream asks. When it
 * completes, what is held still goes, and then the stream completes. When it fails, the stream
 * fails at once, and an element that waits is lost. When downstream cancels, upstream is cancelled,
 * and the place in the limiter's line is given up; nothing has been charged for it. A changed limit
 * and a pause take effect at once on an element that waits. Nothing runs while nothing waits.
 *
 * <p><b>Failures.</b> What a function of the user throws ends the stream: upstream is cancelled,
 * and downstream gets exactly that. So it is with what a limiter refuses: a cost that can never
 * pass ({@link dev.pacegate.CostTooLargeException}), a limiter that has been closed, also while an
 * element waits, and one in whose line there is no room ({@link dev.pacegate.WaitQueueFullException}):
 * {@code maxWaiting} is to be as many as there are streams, at least.
 *
 * <p><b>Threads.</b> An element that may go at once goes on the thread that brought it; one that
 * had to wait, on the limiter's executor. Signals come one after another, as Reactive Streams
 * wants.
 */
public final class Pace {

  private static final Concurrency USUAL = Concurrency.ordered(256);

  private Pace() {}

  // ---- throttle

  /** As {@link #throttle(Limiter, Function)}, every element at a cost of 1. */
  public static <T> Operator<T, T> throttle(Limiter limiter) {
    return throttle(limiter, element -> Cost.ONE);
  }

  /**
   * Passes every element on as soon as {@code limiter} lets it. One element at most is held. The
   * cost function is called once for each element.
   *
   * <p>What is limited is when elements go on: their permit ends as soon as downstream has taken
   * the element, whatever it then does with it. For limits that need to know when a request is
   * over, as {@code peer(10/1s)} and {@code concurrent(4)} do, {@link #mapThrottled} is the right
   * one.
   */
  public static <T> Operator<T, T> throttle(Limiter limiter, Function<? super T, Cost> cost) {
    return throttle(LimiterSource.sharing(limiter), cost);
  }

  /**
   * As {@link #throttle(Limiter)}, with a limiter for each subscription that begins with it and is
   * closed at its end.
   */
  public static <T> Operator<T, T> throttle(Limit limit) {
    return throttle(limit, element -> Cost.ONE);
  }

  /** As {@link #throttle(Limiter, Function)}, with a limiter for each subscription. */
  public static <T> Operator<T, T> throttle(Limit limit, Function<? super T, Cost> cost) {
    return throttle(LimiterSource.owning(limit), cost);
  }

  /**
   * As {@link #throttle(Limit)}, given as text.
   *
   * @throws dev.pacegate.limit.LimitFormatException if the text is no limit
   */
  public static <T> Operator<T, T> throttle(String limit) {
    return throttle(Limits.parse(limit));
  }

  static <T> Operator<T, T> throttle(LimiterSource source, Function<? super T, Cost> cost) {
    requireNonNull(cost);
    return operator(downstream -> new Throttle<>(source, cost, downstream));
  }

  // ---- enforce

  /** As {@link #enforce(Limiter, Function)}, every element at a cost of 1. */
  public static <T> Operator<T, T> enforce(Limiter limiter) {
    return enforce(limiter, element -> Cost.ONE);
  }

  /**
   * Passes on at once what may go at once. An element that may not ends the stream with a {@link
   * RateExceededException}, and is counted by the limiter as refused. Where others wait for the
   * same limiter, nothing may go at once.
   */
  public static <T> Operator<T, T> enforce(Limiter limiter, Function<? super T, Cost> cost) {
    return enforce(LimiterSource.sharing(limiter), cost);
  }

  /** As {@link #enforce(Limiter)}, with a limiter for each subscription. */
  public static <T> Operator<T, T> enforce(Limit limit) {
    return enforce(limit, element -> Cost.ONE);
  }

  /** As {@link #enforce(Limiter, Function)}, with a limiter for each subscription. */
  public static <T> Operator<T, T> enforce(Limit limit, Function<? super T, Cost> cost) {
    return enforce(LimiterSource.owning(limit), cost);
  }

  static <T> Operator<T, T> enforce(LimiterSource source, Function<? super T, Cost> cost) {
    requireNonNull(cost);
    return operator(downstream -> new Enforce<>(source, cost, downstream));
  }

  // ---- mapThrottled

  /** As the longest form: in order, at most 256 at once, every call at a cost of 1. */
  public static <T, R> Operator<T, R> mapThrottled(
      Limiter limiter, Function<? super T, ? extends CompletionStage<R>> function) {
    return mapThrottled(limiter, function, USUAL);
  }

  /** As the longest form, every call at a cost of 1. */
  public static <T, R> Operator<T, R> mapThrottled(
      Limiter limiter,
      Function<? super T, ? extends CompletionStage<R>> function,
      Concurrency concurrency) {
    return mapThrottled(limiter, element -> Cost.ONE, function, concurrency);
  }

  /**
   * Calls an asynchronous function for every element as soon as {@code limiter} lets it, and passes
   * on what its stage ends with.
   *
   * <p>The permit of an element ends with that stage, as {@link Limiter#callAsync(Cost,
   * java.util.function.Supplier)} says; so this goes with every limit. The function is called for
   * one element after another, by the thread that takes the permit: it must not block.
   *
   * <p>Once downstream has asked for anything, up to {@code concurrency.atOnce()} elements are
   * taken whatever it asks for, and their results kept until it does. Only one at a time stands in
   * the limiter's line.
   *
   * <p>When a stage fails or ends with null, the stream fails at once. When it fails, for that or
   * any other reason, or is cancelled, what is under way is cancelled, and results that have not
   * been passed on are lost.
   */
  public static <T, R> Operator<T, R> mapThrottled(
      Limiter limiter,
      Function<? super T, Cost> cost,
      Function<? super T, ? extends CompletionStage<R>> function,
      Concurrency concurrency) {
    requireNonNull(limiter);
    requireNonNull(cost);
    requireNonNull(function);
    requireNonNull(concurrency);
    return operator(
        downstream -> new MapThrottled<>(limiter, cost, function, concurrency, downstream));
  }

  // ---- what gathers

  /**
   * Passes the newest element on as soon as {@code limiter} lets it; older ones are dropped. See
   * {@link #throttleLatest(Limiter, BinaryOperator)}.
   */
  public static <T> Operator<T, T> throttleLatest(Limiter limiter) {
    return throttleLatest(limiter, (older, newer) -> newer);
  }

  /**
   * Passes on, as soon as {@code limiter} lets it, all that has come in as one element: it is made
   * when the permit is there, so it is never out of date.
   *
   * <p>Upstream is asked for all it has and never held up. One element is held; there is a place in
   * the limiter's line only while there is one, and demand for it. Completion lets it go, when it
   * has its permit; failure and cancellation drop it.
   *
   * @param merge makes one of two, the older and the newer; runs on upstream's thread
   */
  public static <T> Operator<T, T> throttleLatest(Limiter limiter, BinaryOperator<T> merge) {
    requireNonNull(merge);
    return gathering(
        LimiterSource.sharing(limiter),
        Gathering.Idle.READY,
        stir -> new Aggregate<>(element -> element, merge));
  }

  /**
   * As {@link #window(Interval, Function, BiFunction)}: what comes first after idleness goes at
   * once.
   */
  public static <T, A> Operator<T, A> window(
      Duration interval,
      Function<? super T, ? extends A> seed,
      BiFunction<? super A, ? super T, ? extends A> aggregate) {
    return window(Interval.of(interval), seed, aggregate);
  }

  /**
   * Passes on one aggregate per interval, of all that has come in since the one before. Two are
   * never closer than the interval, as they really go.
   *
   * <p>If the interval is eager, an element that comes after an idle interval goes at once and on
   * its own. If it is not, such an element begins an interval, at the end of which all goes that
   * came in it. No timer runs while there is nothing to pass on.
   *
   * <p>Upstream is asked for all it has and never held up; if there is no demand, the aggregate
   * goes on growing. Completion lets the last one go, when it is due; failure and cancellation drop
   * it.
   *
   * @param seed makes an aggregate of an element; on upstream's thread
   * @param aggregate adds another element; on upstream's thread
   */
  public static <T, A> Operator<T, A> window(
      Interval interval,
      Function<? super T, ? extends A> seed,
      BiFunction<? super A, ? super T, ? extends A> aggregate) {
    requireNonNull(seed);
    requireNonNull(aggregate);
    return gathering(interval.spacing(), interval.idle(), stir -> new Aggregate<>(seed, aggregate));
  }

  /** As {@link #pacedBatches(Interval, Batching)}, bounded by count. */
  public static <T> Operator<T, List<T>> pacedBatches(Duration gap, int maxCount) {
    return pacedBatches(Interval.of(gap), Batching.ofAtMost(maxCount));
  }

  /**
   * Passes on what has come in as a list, two of which are never closer than {@code gap}, as they
   * really go. See {@link #pacedBatches(Limiter, Batching)}.
   *
   * @param gap what comes first after idleness goes at once if it is eager, otherwise a gap later
   */
  public static <T> Operator<T, List<T>> pacedBatches(Interval gap, Batching<T> batching) {
    return pacedBatches(gap.spacing(), gap.idle(), batching);
  }

  /**
   * Passes on what has come in as a list, as soon as {@code limiter} lets it; a list costs one
   * permit.
   *
   * <p>While a batch waits for its permit, or for demand, it gathers more. So a stream that is slow
   * passes at once and one by one, and one that is fast in full batches. With a {@linkplain
   * Batching#linger linger} a batch that is not full lets some time pass before it asks for a
   * permit.
   *
   * <p>Every element goes once, in order. Upstream is asked for one batch of the largest count at
   * once, even without demand, and never for more than that beyond what has gone. Completion lets
   * go what is held, as soon as there are permits; failure and cancellation drop it. A batch is an
   * unmodifiable list, never empty.
   */
  public static <T> Operator<T, List<T>> pacedBatches(Limiter limiter, Batching<T> batching) {
    return pacedBatches(LimiterSource.sharing(limiter), Gathering.Idle.READY, batching);
  }

  private static <T> Operator<T, List<T>> pacedBatches(
      LimiterSource source, Gathering.Idle idle, Batching<T> batching) {
    requireNonNull(batching);
    return gathering(source, idle, stir -> new Batch<>(batching, Linger.of(batching, stir)));
  }

  /** As {@link #pulse(Interval)}: the first element is asked for at once. */
  public static <T> Operator<T, T> pulse(Duration interval) {
    return pulse(Interval.of(interval));
  }

  /**
   * Asks upstream for one element per interval, and passes it on: the next is asked for when the
   * one before went an interval ago and there is demand. So nothing is ever held, and two are never
   * closer than the interval, as they really go.
   *
   * @param interval if it is not eager, the first element is asked for an interval after the
   *     subscription
   */
  public static <T> Operator<T, T> pulse(Interval interval) {
    return gathering(interval.spacing(), interval.idle(), stir -> new Sample<>());
  }

  private static <T, R> Operator<T, R> gathering(
      LimiterSource source, Gathering.Idle idle, Function<Runnable, Buffer<T, R>> buffer) {
    return operator(downstream -> new Gathering<>(source, idle, buffer, downstream));
  }

  /** Returns the operator whose subscriptions {@code stage} makes. */
  static <T, R> Operator<T, R> operator(Function<Subscriber<? super R>, Stage<T, R>> stage) {
    return upstream -> {
      requireNonNull(upstream);
      return downstream -> upstream.subscribe(stage.apply(requireNonNull(downstream)));
    };
  }
}
