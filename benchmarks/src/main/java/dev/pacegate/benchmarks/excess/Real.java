package dev.pacegate.benchmarks.excess;

import com.google.common.util.concurrent.RateLimiter;
import dev.pacegate.Limiter;
import dev.pacegate.audit.Audit;
import dev.pacegate.limit.Limit;
import io.github.bucket4j.Bucket;
import io.github.bucket4j.TimeMeter;
import io.github.resilience4j.ratelimiter.RateLimiterConfig;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** The part in real time: all limiters side by side, by the instants at which they let through. */
final class Real {

  private static final int MOST = 20;
  private static final Duration INTERVAL = Duration.ofMillis(200);
  private static final Duration IDLE = Duration.ofMillis(300);
  private static final int BURST = 60;

  private final int rounds;

  Real(boolean quick) {
    this.rounds = quick ? 1 : 20;
  }

  /** Waits until a request may go. */
  private interface Gate {
    void pass() throws Exception;
  }

  void write(Text text) throws InterruptedException {
    text.lines(
        "",
        "## In real time",
        "",
        Text.format(
            "The limiters at %d in %d ms, each with a thread of its own that asks for %d, is idle for %d ms, and so on, %d times.",
            MOST, INTERVAL.toMillis(), BURST, IDLE.toMillis(), rounds),
        "The thread reads the clock once it has been let through; nothing is on a way to anywhere. *fullest* is the most in any",
        Text.format(
            "%d ms. A thread that has no processor before it reads the clock reads it late, and one or two more are seen than were",
            INTERVAL.toMillis()),
        "let through; that is so for all of them.");
    text.table("", "fullest", "of");
    var threads = Executors.newCachedThreadPool();
    try {
      var results = new LinkedHashMap<String, Future<Long>>();
      gates().forEach((name, gate) -> results.put(name, threads.submit(fullest(gate))));
      for (var result : results.entrySet()) {
        long fullest = result.getValue().get();
        text.row(result.getKey(), fullest, MOST);
      }
    } catch (ExecutionException e) {
      throw new IllegalStateException(e.getCause());
    } finally {
      threads.shutdownNow();
    }
  }

  private Callable<Long> fullest(Gate gate) {
    return () -> {
      List<Long> instants = new ArrayList<>();
      for (int round = 0; round < rounds; round++) {
        for (int i = 0; i < BURST; i++) {
          gate.pass();
          instants.add(System.nanoTime());
        }
        Thread.sleep(IDLE.toMillis()); // what has been saved up meanwhile is the question
      }
      var audit = Audit.of(Limit.atMost(MOST).inAny(INTERVAL));
      instants.forEach(audit::add);
      return audit.verdict().measured();
    };
  }

  private static Map<String, Gate> gates() {
    var gates = new LinkedHashMap<String, Gate>();
    Limiter window = Limiter.of(Limit.atMost(MOST).inAny(INTERVAL));
    gates.put("Pacegate `20/200ms`", () -> window.acquire().close());
    Limiter peer = Limiter.of("peer(20/200ms)");
    gates.put("Pacegate `peer(20/200ms)`", () -> peer.acquire().close());
    RateLimiter guava = RateLimiter.create(MOST * 1e9 / INTERVAL.toNanos());
    gates.put("Guava, which saves up a second", guava::acquire);
    var smooth = dev.failsafe.RateLimiter.smoothBuilder(MOST, INTERVAL).build();
    gates.put("Failsafe, smooth", smooth::acquirePermit);
    var bursty = dev.failsafe.RateLimiter.burstyBuilder(MOST, INTERVAL).build();
    gates.put("Failsafe, bursty", bursty::acquirePermit);
    gates.put("Bucket4j, greedy refill", bucket4j()::run);
    gates.put("Resilience4j", resilience4j()::run);
    return gates;
  }

  private static Runnable bucket4j() {
    Bucket bucket =
        Bucket.builder()
            .addLimit(limit -> limit.capacity(MOST).refillGreedy(MOST, INTERVAL))
            .withCustomTimePrecision(TimeMeter.SYSTEM_NANOTIME)
            .build();
    return () -> bucket.asBlocking().consumeUninterruptibly(1);
  }

  private static Runnable resilience4j() {
    var config =
        RateLimiterConfig.custom()
            .limitForPeriod(MOST)
            .limitRefreshPeriod(INTERVAL)
            .timeoutDuration(Duration.ofMinutes(1))
            .build();
    var limiter = io.github.resilience4j.ratelimiter.RateLimiter.of("measured", config);
    return limiter::acquirePermission;
  }
}
