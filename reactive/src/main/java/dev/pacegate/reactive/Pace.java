package dev.pacegate.reactive;

import static java.util.Objects.requireNonNull;

import dev.pacegate.Limiter;
import dev.pacegate.limit.Cost;
import dev.pacegate.limit.Limit;
import java.util.concurrent.CompletionStage;
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
 * element waits, and one in whose line there is no room ({@link dev.pacegate.LineFullException}):
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
    return throttle(Entry.shared(requireNonNull(limiter)), cost);
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
    return throttle(Entry.own(requireNonNull(limit)), cost);
  }

  /**
   * As {@link #throttle(Limit)}, given as text.
   *
   * @throws dev.pacegate.limit.LimitFormatException if the text is no limit
   */
  public static <T> Operator<T, T> throttle(String limit) {
    return throttle(Limit.parse(limit));
  }

  static <T> Operator<T, T> throttle(Entry entry, Function<? super T, Cost> cost) {
    requireNonNull(cost);
    return operator(downstream -> new Throttle<>(entry, cost, downstream));
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
    return enforce(Entry.shared(requireNonNull(limiter)), cost);
  }

  /** As {@link #enforce(Limiter)}, with a limiter for each subscription. */
  public static <T> Operator<T, T> enforce(Limit limit) {
    return enforce(limit, element -> Cost.ONE);
  }

  /** As {@link #enforce(Limiter, Function)}, with a limiter for each subscription. */
  public static <T> Operator<T, T> enforce(Limit limit, Function<? super T, Cost> cost) {
    return enforce(Entry.own(requireNonNull(limit)), cost);
  }

  static <T> Operator<T, T> enforce(Entry entry, Function<? super T, Cost> cost) {
    requireNonNull(cost);
    return operator(downstream -> new Enforce<>(entry, cost, downstream));
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

  /** Returns the operator whose subscriptions {@code stage} makes. */
  static <T, R> Operator<T, R> operator(Function<Subscriber<? super R>, Stage<T, R>> stage) {
    return upstream -> {
      requireNonNull(upstream);
      return downstream -> upstream.subscribe(stage.apply(requireNonNull(downstream)));
    };
  }
}
