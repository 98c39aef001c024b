package dev.pacegate.pekko;

import static java.util.Objects.requireNonNull;

import dev.pacegate.Limiter;
import dev.pacegate.limit.Cost;
import dev.pacegate.limit.Limit;
import java.util.function.Function;
import org.apache.pekko.NotUsed;
import org.apache.pekko.japi.Pair;
import org.apache.pekko.stream.javadsl.FlowWithContext;

/**
 * The flows of {@link Throttle} for elements with a context, such as an offset: for {@code via} of
 * a {@link FlowWithContext} or a {@link org.apache.pekko.stream.javadsl.SourceWithContext}.
 *
 * <pre>{@code
 * consumer.asSourceWithContext(Message::offset).via(ThrottleWithContext.byCost(api, m -> Cost.of(m.size())));
 * }</pre>
 *
 * <p>Each element keeps its context, and all keep their order. The cost is that of the element
 * alone.
 */
public final class ThrottleWithContext {

  private ThrottleWithContext() {}

  /** As {@link Throttle#of(Limiter)}. */
  public static <T, C> FlowWithContext<T, C, T, C, NotUsed> of(Limiter limiter) {
    return byCost(limiter, element -> Cost.ONE);
  }

  /** As {@link Throttle#byCost(Limiter, Function)}. */
  public static <T, C> FlowWithContext<T, C, T, C, NotUsed> byCost(
      Limiter limiter, Function<T, Cost> cost) {
    return byCost(LimiterSource.sharing(limiter), cost);
  }

  /** As {@link Throttle#of(Limit)}; for Pekko's numbers, see {@link Throttle#limit}. */
  public static <T, C> FlowWithContext<T, C, T, C, NotUsed> of(Limit limit) {
    return byCost(limit, element -> Cost.ONE);
  }

  /** As {@link Throttle#byCost(Limit, Function)}. */
  public static <T, C> FlowWithContext<T, C, T, C, NotUsed> byCost(
      Limit limit, Function<T, Cost> cost) {
    return byCost(LimiterSource.owning(limit), cost);
  }

  /** As {@link Throttle#enforcing(Limiter)}. */
  public static <T, C> FlowWithContext<T, C, T, C, NotUsed> enforcing(Limiter limiter) {
    return enforcingByCost(limiter, element -> Cost.ONE);
  }

  /** As {@link Throttle#enforcingByCost(Limiter, Function)}. */
  public static <T, C> FlowWithContext<T, C, T, C, NotUsed> enforcingByCost(
      Limiter limiter, Function<T, Cost> cost) {
    return enforcingByCost(LimiterSource.sharing(limiter), cost);
  }

  /** As {@link Throttle#enforcing(Limit)}. */
  public static <T, C> FlowWithContext<T, C, T, C, NotUsed> enforcing(Limit limit) {
    return enforcingByCost(limit, element -> Cost.ONE);
  }

  /** As {@link Throttle#enforcingByCost(Limit, Function)}. */
  public static <T, C> FlowWithContext<T, C, T, C, NotUsed> enforcingByCost(
      Limit limit, Function<T, Cost> cost) {
    return enforcingByCost(LimiterSource.owning(limit), cost);
  }

  static <T, C> FlowWithContext<T, C, T, C, NotUsed> byCost(
      LimiterSource source, Function<T, Cost> cost) {
    return FlowWithContext.fromPairs(Throttle.<Pair<T, C>>byCost(source, ofElement(cost)));
  }

  private static <T, C> FlowWithContext<T, C, T, C, NotUsed> enforcingByCost(
      LimiterSource source, Function<T, Cost> cost) {
    return FlowWithContext.fromPairs(Throttle.<Pair<T, C>>enforcingByCost(source, ofElement(cost)));
  }

  private static <T, C> Function<Pair<T, C>, Cost> ofElement(Function<T, Cost> cost) {
    requireNonNull(cost);
    return pair -> cost.apply(pair.first());
  }
}
