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
 * The paced operators: each method returns an {@link Operator} to apply to a publisher.
 *
 * <pre>{@code
 * Limiter api = Limiter.of("10/1s");                                // may be shared by any number of streams
 * flux.transform(Pace.throttle(api));                               // each element as soon as it may go
 * flux.transform(Pace.mapThrottled(api, sms -> sendAsync(sms)));    // a permit for each call
 * flux.transform(Pace.enforce(api));                                // too fast is a failure
 * }</pre>
 *
 * <p><b>All operators</b>, unless stated otherwise: Elements keep their order, and none is dropped.
 * Upstream is asked for one element at a time, and for none before downstream asks. When upstream
 * completes, the element held still goes, and then the stream completes. When it fails, the stream
 * fails at once, and a waiting element is dropped. When downstream cancels, upstream is cancelled,
 * and the waiting element leaves the limiter's queue; it has cost nothing. A changed limit and a
 * pause take effect at once on a waiting element. No thread or timer runs while nothing waits.
 *
 * <p><b>Permits.</b> {@link #mapThrottled} ends a permit with the answer, so it keeps every limit.
 * The other operators end it as soon as downstream has taken the element, whatever downstream then
 * does with it. So they refuse limits that count until the answer is in, such as {@code
 * peer(10/1s)}, {@code aligned(10/1m)} and {@code concurrent(4)}, with an {@link
 * IllegalArgumentException} where the operator is made; so they do if it is the limit of all keys,
 * and the limiter that of one. A later change of a shared limiter is not looked at.
 *
 * <p><b>Failures.</b> If a function of the user throws, upstream is cancelled and downstream gets
 * that exception. So it does if the limiter refuses: the cost can never pass ({@link
 * dev.pacegate.CostTooLargeException}) or is not {@linkplain Limiter#requireCounted counted}
 * ({@link IllegalArgumentException}), the limiter has been closed, also while an element waits, or
 * its queue is full ({@link dev.pacegate.WaitQueueFullException}): set {@code maxWaiting} to at
 * least the number of streams.
 *
 * <p><b>Threads.</b> An element that may go at once goes on the thread that brought it; one that
 * had to wait goes on the limiter's executor. Signals are serialised, as Reactive Streams demands.
 * With Reactor's automatic context propagation, thread-locals are the same on both.
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
   * Passes every element on as soon as {@code limiter} allows. Holds at most one element. The cost
   * function is called once for each element.
   *
   * <p>This limits when elements go on: the permit ends as soon as downstream has taken the
   * element. For limits that need the end of a request use {@link #mapThrottled}, also for a
   * blocking call: {@code mapThrottled(api, sms -> supplyAsync(() -> send(sms)))}.
   *
   * @throws IllegalArgumentException if the limit counts until the answer is in
   */
  public static <T> Operator<T, T> throttle(Limiter limiter, Function<? super T, Cost> cost) {
    return throttle(LimiterSource.sharing(limiter), cost);
  }

  /**
   * As {@link #throttle(Limiter)}, with a new limiter for each subscription, which is closed at its
   * end.
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
   * Passes each element on at once if it may go at once. Otherwise the stream fails with a {@link
   * RateExceededException}, and the limiter counts the element as refused. While other requests
   * wait for the same limiter, no element may go at once.
   *
   * @throws IllegalArgumentException if the limit counts until the answer is in: its permit would
   *     end as soon as downstream has taken the element
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

  /** As the longest overload: in order, at most 256 at once, every call at a cost of 1. */
  public static <T, R> Operator<T, R> mapThrottled(
      Limiter limiter, Function<? super T, ? extends CompletionStage<R>> function) {
    return mapThrottled(limiter, function, USUAL);
  }

  /** As the longest overload, every call at a cost of 1. */
  public static <T, R> Operator<T, R> mapThrottled(
      Limiter limiter,
      Function<? super T, ? extends CompletionStage<R>> function,
      Concurrency concurrency) {
    return mapThrottled(limiter, element -> Cost.ONE, function, concurrency);
  }

  /**
   * Calls an asynchronous function for every element as soon as {@code limiter} allows, and passes
   * on the results of its stages.
   *
   * <p>An element's permit ends with its stage, as by {@link Limiter#callAsync(Cost,
   * java.util.function.Supplier)}; so this works with every limit. The thread that takes the permit
   * calls the function, for one element after another: it must not block.
   *
   * <p>Once downstream has asked for anything, up to {@code concurrency.atOnce()} elements are
   * taken whatever it asks for, and their results are kept until it does. Only one element at a
   * time waits in the limiter's queue.
   *
   * <p>Reactor: a Mono that the function turns into a stage by {@code toFuture()} sees the context
   * only under automatic context propagation. Otherwise pass it on: {@code
   * Flux.deferContextual(context -> flux.transform(Pace.mapThrottled(api, sms ->
   * send(sms).contextWrite(context).toFuture())))}.
   *
   * <p>If a stage fails or ends with null, the stream fails at once. When the stream fails, for
   * whatever reason, or is cancelled, the calls under way are cancelled, and results that have not
   * been passed on are dropped.
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

  // ---- operators that gather

  /**
   * Passes the newest element on as soon as {@code limiter} allows; older ones are dropped. See
   * {@link #throttleLatest(Limiter, BinaryOperator)}.
   */
  public static <T> Operator<T, T> throttleLatest(Limiter limiter) {
    return throttleLatest(limiter, (older, newer) -> newer);
  }

  /**
   * Merges all elements that have come in, and passes the result on as soon as {@code limiter}
   * allows. The result includes every element that came before the permit.
   *
   * <p>Upstream is asked for everything and never held up. One element is held. The stream waits in
   * the limiter's queue only while it holds one and there is demand. On completion the element held
   * still goes when it has its permit; failure and cancellation drop it.
   *
   * @param merge merges two elements, the older and the newer; runs on upstream's thread
   * @throws IllegalArgumentException if the limit counts until the answer is in: its permit would
   *     end as soon as downstream has taken the element
   */
  public static <T> Operator<T, T> throttleLatest(Limiter limiter, BinaryOperator<T> merge) {
    requireNonNull(merge);
    return gathering(
        LimiterSource.sharing(limiter),
        Gathering.Idle.READY,
        stir -> new Aggregate<>(element -> element, merge));
  }

  /**
   * As {@link #window(Interval, Function, BiFunction)}; the first element after idleness goes at
   * once.
   */
  public static <T, A> Operator<T, A> window(
      Duration interval,
      Function<? super T, ? extends A> seed,
      BiFunction<? super A, ? super T, ? extends A> aggregate) {
    return window(Interval.of(interval), seed, aggregate);
  }

  /**
   * Passes on one aggregate per interval, of all elements that have come in since the one before.
   * Two aggregates really go at least an interval apart.
   *
   * <p>If the interval is eager, an element that comes after an idle interval goes at once and
   * alone. Otherwise it begins an interval, and at its end all elements go that came in it. No
   * timer runs while there is nothing to pass on.
   *
   * <p>Upstream is asked for everything and never held up; without demand the aggregate keeps
   * growing. On completion the last one goes when it is due; failure and cancellation drop it.
   *
   * @param seed makes an aggregate of an element; runs on upstream's thread
   * @param aggregate adds another element; runs on upstream's thread
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
   * Passes elements on in lists that really go at least {@code gap} apart. See {@link
   * #pacedBatches(Limiter, Batching)}.
   *
   * @param gap if eager, the first list after idleness goes at once, otherwise a gap later
   */
  public static <T> Operator<T, List<T>> pacedBatches(Interval gap, Batching<T> batching) {
    return pacedBatches(gap.spacing(), gap.idle(), batching);
  }

  /**
   * Passes elements on in lists, as soon as {@code limiter} allows; a list costs one permit, or
   * what {@link Batching#costing} says.
   *
   * <p>While a batch waits for its permit, or for demand, it gathers more elements. So a slow
   * stream passes at once and one by one, a fast one in full batches. With a {@linkplain
   * Batching#linger linger}, a batch that is not full waits for more elements before it asks for a
   * permit.
   *
   * <p>Every element goes once, in order. Upstream is asked for one batch of the largest count at
   * once, even without demand, and never for more than that beyond what has gone. On completion the
   * elements held go as soon as there are permits; failure and cancellation drop them. A batch is
   * an unmodifiable list, never empty.
   *
   * <p>The permit ends as soon as downstream has taken the batch. For a peer that counts until it
   * has answered, batch without a limit, and let the permit cover the sending:
   *
   * <pre>{@code
   * flux.transform(Pace.pacedBatches(Limiter.of("unlimited"), Batching.<Sms>ofAtMost(10)))
   *     .transform(Pace.mapThrottled(api, batch -> Cost.of(batch.size()), sendAll, Concurrency.ordered(4)));
   * }</pre>
   *
   * @throws IllegalArgumentException if the limit counts until the answer is in
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
   * Asks upstream for one element per interval, and passes it on: the next is requested when the
   * one before went an interval ago and there is demand. So no element is ever held, and two
   * elements really go at least the interval apart.
   *
   * @param interval if it is not eager, the first element is requested an interval after the
   *     subscription
   */
  public static <T> Operator<T, T> pulse(Interval interval) {
    return gathering(interval.spacing(), interval.idle(), stir -> new Sample<>());
  }

  private static <T, R> Operator<T, R> gathering(
      LimiterSource source, Gathering.Idle idle, Function<Runnable, Buffer<T, R>> buffer) {
    return operator(downstream -> new Gathering<>(source, idle, buffer, downstream));
  }

  /** Returns the operator whose subscriptions {@code stage} creates. */
  static <T, R> Operator<T, R> operator(Function<Subscriber<? super R>, Stage<T, R>> stage) {
    return upstream -> {
      requireNonNull(upstream);
      return downstream -> stage.apply(requireNonNull(downstream)).subscribeTo(upstream);
    };
  }
}
