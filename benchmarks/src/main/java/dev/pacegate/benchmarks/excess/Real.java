package dev.pacegate.benchmarks.excess;

import com.google.common.util.concurrent.RateLimiter;
import dev.pacegate.Limiter;
import dev.pacegate.Permit;
import dev.pacegate.audit.Audit;
import dev.pacegate.benchmarks.Text;
import dev.pacegate.limit.Limit;
import dev.pacegate.limit.Limits;
import io.github.bucket4j.Bucket;
import io.github.bucket4j.TimeMeter;
import io.github.resilience4j.ratelimiter.RateLimiterConfig;
import java.time.Duration;
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
  private static final Limit WINDOW = Limits.atMost(MOST).inAny(INTERVAL);
  private static final Duration IDLE = Duration.ofMillis(300);
  private static final int BURST = 60;

  private final int rounds;

  Real(boolean quick) {
    this.rounds = quick ? 1 : 20;
  }

  /** Waits until a request may go. */
  private interface Gate {

    /** What a limiter returns that does not say when it let through. */
    long UNKNOWN = Long.MIN_VALUE;

    /** Returns when it was let through, if the limiter says so. */
    long pass() throws Exception;

    static Gate of(Runnable wait) {
      return () -> {
        wait.run();
        return UNKNOWN;
      };
    }

    static Gate of(Limit limit) {
      Limiter limiter = Limiter.builder(limit).stamped(true).build();
      return () -> {
        try (Permit permit = limiter.acquire()) {
          long releasedAt = permit.releasedAt();
          permit.answered();
          return releasedAt;
        }
      };
    }
  }

  /**
   * The most in any interval.
   *
   * @param read as the caller read the clock
   * @param stamped as the limiter says; 0 if it does not
   */
  private record Fullest(long read, long stamped) {}

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
        "let through; *stamped* is by the instants that the limiter itself tells, if it does.");
    text.numbers("", "fullest", "stamped", "of");
    var threads = Executors.newCachedThreadPool();
    try {
      var results = new LinkedHashMap<String, Future<Fullest>>();
      gates().forEach((name, gate) -> results.put(name, threads.submit(fullest(gate))));
      for (var result : results.entrySet()) {
        Fullest fullest = result.getValue().get();
        boolean told = fullest.stamped() > 0;
        text.row(result.getKey(), fullest.read(), told ? fullest.stamped() : "–", MOST);
        text.expect(!told || fullest.stamped() <= MOST, result.getKey() + " lets too much through");
      }
    } catch (ExecutionException e) {
      throw new IllegalStateException(e.getCause());
    } finally {
      threads.shutdownNow();
    }
  }

  private Callable<Fullest> fullest(Gate gate) {
    return () -> {
      var read = Audit.of(WINDOW);
      var stamped = Audit.of(WINDOW);
      for (int round = 0; round < rounds; round++) {
        for (int i = 0; i < BURST; i++) {
          long stamp = gate.pass();
          read.add(System.nanoTime());
          if (stamp != Gate.UNKNOWN) {
            stamped.add(stamp);
          }
        }
        Thread.sleep(IDLE.toMillis()); // what has been saved up meanwhile is the question
      }
      return new Fullest(read.verdict().measured(), stamped.verdict().measured());
    };
  }

  private static Map<String, Gate> gates() {
    var gates = new LinkedHashMap<String, Gate>();
    for (Limit limit : List.of(WINDOW, WINDOW.asPeerCounts())) {
      gates.put("Pacegate `" + limit + "`", Gate.of(limit));
    }
    RateLimiter guava = RateLimiter.create(MOST * 1e9 / INTERVAL.toNanos());
    gates.put("Guava, which saves up a second", Gate.of(() -> guava.acquire()));
    var smooth = dev.failsafe.RateLimiter.smoothBuilder(MOST, INTERVAL).build();
    gates.put("Failsafe, smooth", Gate.of(() -> acquire(smooth)));
    var bursty = dev.failsafe.RateLimiter.burstyBuilder(MOST, INTERVAL).build();
    gates.put("Failsafe, bursty", Gate.of(() -> acquire(bursty)));
    gates.put("Bucket4j, greedy refill", Gate.of(bucket4j()));
    gates.put("Resilience4j", Gate.of(resilience4j()));
    return gates;
  }

  private static void acquire(dev.failsafe.RateLimiter<Object> limiter) {
    try {
      limiter.acquirePermit();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
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
