package dev.pacegate.pekko;

import dev.pacegate.Limiter;
import dev.pacegate.limit.Cost;
import dev.pacegate.limit.Limit;
import java.util.function.Function;
import org.apache.pekko.NotUsed;
import org.apache.pekko.stream.javadsl.Flow;

/** Passes elements on no faster than a limiter lets them. */
public final class Throttle {

  private Throttle() {}

  /** Returns a flow that passes each element on with a permit of {@code limiter}, of cost 1. */
  public static <T> Flow<T, T, NotUsed> of(Limiter limiter) {
    return of(limiter, element -> Cost.ONE);
  }

  /** As {@link #of(Limiter)}; each element costs what {@code cost} says. */
  public static <T> Flow<T, T, NotUsed> of(Limiter limiter, Function<? super T, Cost> cost) {
    return flow(Pacing.sharing(limiter), cost);
  }

  /** As {@link #of(Limiter)}, with a limiter of each materialisation's own. */
  public static <T> Flow<T, T, NotUsed> of(Limit limit) {
    return flow(Pacing.owning(() -> Limiter.of(limit)), element -> Cost.ONE);
  }

  static <T> Flow<T, T, NotUsed> flow(Pacing pacing, Function<? super T, Cost> cost) {
    return Flow.fromGraph(new ThrottleStage<T>(pacing, cost));
  }
}
