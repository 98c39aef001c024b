package dev.pacegate.reactive;

import static java.util.Objects.requireNonNull;

import dev.pacegate.Limiter;
import dev.pacegate.limit.Cost;
import dev.pacegate.time.ManualTime;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.BinaryOperator;
import java.util.function.Consumer;
import java.util.function.Function;

/** Every operator, one element a second, with the user's functions that it calls. */
record ContextOperators(ManualTime time, Executor executor) {

  /** Returns the names of the operators. */
  static Set<String> names() {
    return new ContextOperators(ManualTime.manual(), Runnable::run)
        .all(element -> {}, CompletableFuture::completedFuture)
        .keySet();
  }

  /**
   * Returns one of them.
   *
   * @param seen is called wherever a function of the user's runs
   * @param call what {@code mapThrottled} calls
   */
  Operator<String, ?> operator(
      String name, Consumer<String> seen, Function<String, CompletionStage<String>> call) {
    return requireNonNull(all(seen, call).get(name), name);
  }

  private Map<String, Operator<String, ?>> all(
      Consumer<String> seen, Function<String, CompletionStage<String>> call) {
    Function<String, Cost> cost =
        element -> {
          seen.accept(element);
          return Cost.ONE;
        };
    BinaryOperator<String> merge =
        (older, newer) -> {
          seen.accept(newer);
          return newer;
        };
    var all = new LinkedHashMap<String, Operator<String, ?>>();
    all.put("throttle", Pace.throttle(limiter("1/1s"), cost));
    all.put("enforce", Pace.enforce(limiter("unlimited"), cost));
    all.put("mapThrottled", Pace.mapThrottled(limiter("1/1s"), cost, call, ONE));
    all.put("mapThrottled unordered", Pace.mapThrottled(limiter("1/1s"), cost, call, UNORDERED));
    all.put("throttleLatest", Pace.throttleLatest(limiter("1/1s"), merge));
    all.put("window", Pace.window(second(), first -> merge.apply(first, first), merge));
    all.put("pacedBatches", Pace.pacedBatches(second(), Batching.ofAtMost(1)));
    all.put("pacedBatches of a limiter", Pace.pacedBatches(limiter("1/1s"), lingering(seen)));
    all.put("pulse", Pace.pulse(second()));
    return all;
  }

  private static final Concurrency ONE = Concurrency.ordered(1);
  private static final Concurrency UNORDERED = Concurrency.unordered(2);

  private Batching<String> lingering(Consumer<String> seen) {
    return Batching.<String>ofAtMost(2)
        .linger(second())
        .costing(
            batch -> {
              batch.forEach(seen);
              return Cost.ONE;
            });
  }

  private Limiter limiter(String limit) {
    return Limiter.builder(limit).time(time).executor(executor).build();
  }

  private Interval second() {
    return Interval.of(Duration.ofSeconds(1)).on(time, executor);
  }
}
