package dev.pacegate.reactive;

import static java.util.Objects.requireNonNull;

import dev.pacegate.Limiter;
import dev.pacegate.limit.Cost;
import dev.pacegate.limit.Limit;
import java.util.function.Function;
import org.reactivestreams.Subscriber;

/** The operators. Each method returns an {@link Operator}, to be applied to a publisher. */
public final class Pace {

  private Pace() {}

  /**
   * Passes every element on as soon as {@code limiter} lets it: see {@link #throttle(Limiter,
   * Function)}.
   */
  public static <T> Operator<T, T> throttle(Limiter limiter) {
    return throttle(limiter, element -> Cost.ONE);
  }

  /** Passes every element on, in order, as soon as {@code limiter} lets it. */
  public static <T> Operator<T, T> throttle(Limiter limiter, Function<? super T, Cost> cost) {
    return throttle(Entry.shared(requireNonNull(limiter)), cost);
  }

  /** As {@link #throttle(Limiter)}, with a limiter of its own for each subscription. */
  public static <T> Operator<T, T> throttle(Limit limit) {
    return throttle(limit, element -> Cost.ONE);
  }

  /** As {@link #throttle(Limiter, Function)}, with a limiter of its own for each subscription. */
  public static <T> Operator<T, T> throttle(Limit limit, Function<? super T, Cost> cost) {
    return throttle(Entry.own(requireNonNull(limit)), cost);
  }

  /** As {@link #throttle(Limit)}, given as text. */
  public static <T> Operator<T, T> throttle(String limit) {
    return throttle(Limit.parse(limit));
  }

  static <T> Operator<T, T> throttle(Entry entry, Function<? super T, Cost> cost) {
    requireNonNull(cost);
    return operator(downstream -> new Throttle<>(entry, cost, downstream));
  }

  /** Returns the operator whose subscriptions {@code stage} makes. */
  static <T, R> Operator<T, R> operator(Function<Subscriber<? super R>, Stage<T, R>> stage) {
    return upstream -> {
      requireNonNull(upstream);
      return downstream -> upstream.subscribe(stage.apply(requireNonNull(downstream)));
    };
  }
}
