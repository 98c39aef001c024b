package dev.pacegate.context;

import static java.util.Objects.requireNonNull;
import static java.util.concurrent.CompletableFuture.completedFuture;

import dev.pacegate.KeyedLimiter;
import dev.pacegate.Limiter;
import dev.pacegate.dispatch.ThrottledExecutorService;
import dev.pacegate.dispatch.Throttler;
import dev.pacegate.limit.Cost;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorCompletionService;
import java.util.concurrent.ExecutorService;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/**
 * A way to run a job under a limiter.
 *
 * @param name how a program writes it
 * @param row the row of the page's table
 */
record Verb(String name, String row, Use use) {

  private static final Duration MINUTE = Duration.ofMinutes(1);

  /** Makes the caller's call. */
  interface Use {
    void of(Limiter limiter, ExecutorService pool, Callable<String> job) throws Exception;
  }

  private interface OnLimiter {
    void of(Limiter limiter, Supplier<CompletableFuture<String>> job);
  }

  private interface OnExecutor {
    void of(ExecutorService paced, Callable<String> job) throws Exception;
  }

  private interface OnThrottler {
    void of(Throttler<String> throttler, Callable<String> job);
  }

  @Override
  public String toString() {
    return name;
  }

  @SuppressWarnings("FutureReturnValueIgnored") // the job tells what it has seen
  static List<Verb> all() {
    return List.of(
        new Verb("call(job)", "`call`, `run`", (limiter, pool, job) -> limiter.call(job)),
        new Verb("run(task)", "`call`, `run`", (limiter, pool, job) -> limiter.run(task(job))),
        async("callAsync(job)", Limiter::callAsync),
        async("callAsync(1, job)", (limiter, job) -> limiter.callAsync(1, job)),
        async("callAsync(cost, job)", (limiter, job) -> limiter.callAsync(Cost.ONE, job)),
        async("callAsync(wait, job)", (limiter, job) -> limiter.callAsync(MINUTE, job)),
        async("callAsync(cost, wait, job)", (all, job) -> all.callAsync(Cost.ONE, MINUTE, job)),
        view("lane.callAsync(job)", (all, job) -> all.lane("default").callAsync(job)),
        view("keyed.callAsync(key, job)", (all, job) -> keys(all).callAsync("key", job)),
        view("keyed.limiter(key)", (all, job) -> keys(all).limiter("key").callAsync(job)),
        paced("submit(callable)", (paced, job) -> paced.submit(job)),
        paced("submit(runnable)", (paced, job) -> paced.submit(task(job))),
        paced("execute(command)", (paced, job) -> paced.execute(task(job))),
        paced("invokeAll(tasks)", (paced, job) -> paced.invokeAll(List.of(job))),
        paced("invokeAny(tasks)", (paced, job) -> paced.invokeAny(List.of(job))),
        paced("of a key", (paced, job) -> paced.submit(job), limiter -> keys(limiter).limiter("k")),
        paced("runAsync", (paced, job) -> CompletableFuture.runAsync(task(job), paced)),
        paced(
            "CompletionService",
            (paced, job) -> new ExecutorCompletionService<String>(paced).submit(job)),
        throttler("target(consumer)", (to, job) -> to.target(message -> task(job).run())),
        throttler(
            "targetAsync(function)",
            (to, job) -> to.targetAsync(message -> completedFuture(get(job)))),
        throttler(
            "targetWithPermit(function)",
            (to, job) -> to.targetWithPermit((message, permit) -> completedFuture(get(job)))));
  }

  private static KeyedLimiter<String> keys(Limiter all) {
    return KeyedLimiter.builder("100/1s").within(all).build();
  }

  private static Verb async(String name, OnLimiter use) {
    return new Verb(name, "`callAsync`", onLimiter(use));
  }

  private static Verb view(String name, OnLimiter use) {
    return new Verb(name, "`callAsync` of a lane or a key", onLimiter(use));
  }

  private static Use onLimiter(OnLimiter use) {
    return (limiter, pool, job) -> use.of(limiter, () -> completedFuture(get(job)));
  }

  private static Verb paced(String name, OnExecutor use) {
    return paced(name, use, limiter -> limiter);
  }

  private static Verb paced(String name, OnExecutor use, UnaryOperator<Limiter> view) {
    return new Verb(
        name,
        "`ThrottledExecutorService`: all methods",
        (limiter, pool, job) ->
            use.of(ThrottledExecutorService.of(view.apply(limiter), (Executor) pool), job));
  }

  private static Verb throttler(String name, OnThrottler use) {
    return new Verb(
        name,
        "`Throttler`: all targets, with the sender's context",
        (limiter, pool, job) -> {
          Throttler<String> throttler = Throttler.<String>builder(limiter).executor(pool).build();
          use.of(throttler, job);
          throttler.send("message");
        });
  }

  private static Runnable task(Callable<String> job) {
    return () -> requireNonNull(get(job));
  }

  private static String get(Callable<String> job) {
    try {
      return job.call();
    } catch (Exception failure) {
      throw new IllegalStateException(failure);
    }
  }
}
