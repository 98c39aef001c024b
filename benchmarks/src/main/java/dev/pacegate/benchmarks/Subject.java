package dev.pacegate.benchmarks;

import com.google.common.util.concurrent.RateLimiter;
import dev.pacegate.Limiter;
import dev.pacegate.Permit;
import io.github.bucket4j.Bucket;
import io.github.bucket4j.TimeMeter;
import io.github.resilience4j.ratelimiter.RateLimiterConfig;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * What is measured: each limiter in two settings, one that lets every request through and one that
 * turns every request away.
 *
 * <p>The one allows at least 100 million per second, more than any caller can ask for. The other
 * allows so many per day, and those have gone.
 */
public enum Subject {
  FLOOR("the floor", "`nanoTime` and one CAS", Subject::floor, Subject::floor),

  WINDOW("Pacegate window", "200/1us", "10/1d"),
  LARGE_WINDOW("Pacegate window, a thousand", "1000/10us", "1000/1d"),
  WIDE_WINDOW("Pacegate window, a million", "1000000/1ms", "1000000/1d"),
  BUCKET("Pacegate bucket", "bucket(300000000/1s, burst=1000)", "bucket(1/1d)"),
  SPACING("Pacegate spacing", "spacing(1ns)", "spacing(1d)"),
  BOTH(
      "Pacegate window & bucket",
      "200/1us & bucket(300000000/1s, burst=1000)",
      "10/1d & bucket(1/1d)"),
  CONCURRENT(
      "Pacegate concurrent",
      "`concurrent(1000)`: `acquire()` and its end",
      () -> answering("concurrent(1000)"),
      () -> full("concurrent(1)")),
  PEER(
      "Pacegate peer window",
      "`peer(1000000/1ms)`: `acquire()` and its end",
      () -> answering("peer(1000000/1ms)"),
      () -> answeringIfGranted("peer(1/1d)")),
  SMALL_PEER(
      "Pacegate peer window, a hundred",
      "`peer(100/1us, margin=0ns)`: `acquire()` and its end",
      () -> answering("peer(100/1us, margin=0ns)"),
      () -> answeringIfGranted("peer(100/1d)")),

  GUAVA("Guava", "bursty", () -> guava(1e9), () -> guava(1 / 86_400.0)),
  BUCKET4J(
      "Bucket4j",
      "lock-free, `nanoTime`",
      () -> bucket4j(1_000_000, Duration.ofMillis(1), TimeMeter.SYSTEM_NANOTIME),
      () -> bucket4j(1, Duration.ofDays(1), TimeMeter.SYSTEM_NANOTIME)),
  BUCKET4J_MILLIS(
      "Bucket4j, its default clock",
      "lock-free, `currentTimeMillis`",
      () -> bucket4j(1_000_000, Duration.ofMillis(1), TimeMeter.SYSTEM_MILLISECONDS),
      () -> bucket4j(1, Duration.ofDays(1), TimeMeter.SYSTEM_MILLISECONDS)),
  RESILIENCE4J(
      "Resilience4j",
      "atomic",
      () -> resilience4j(1_000_000, Duration.ofMillis(1)),
      () -> resilience4j(1, Duration.ofDays(1))),
  FAILSAFE_SMOOTH(
      "Failsafe, smooth",
      "",
      () -> failsafe(dev.failsafe.RateLimiter.smoothBuilder(Duration.ofNanos(1)).build()),
      () -> failsafe(dev.failsafe.RateLimiter.smoothBuilder(Duration.ofDays(1)).build())),
  FAILSAFE_BURSTY(
      "Failsafe, bursty",
      "",
      () ->
          failsafe(dev.failsafe.RateLimiter.burstyBuilder(1_000_000, Duration.ofMillis(1)).build()),
      () -> failsafe(dev.failsafe.RateLimiter.burstyBuilder(1, Duration.ofDays(1)).build()));

  private static final int MOST_TO_USE_UP = 1_000_000;

  public final String title;
  public final String detail;
  private final Supplier<BooleanSupplier> granting;
  private final Supplier<BooleanSupplier> refusing;

  Subject(
      String title,
      String detail,
      Supplier<BooleanSupplier> granting,
      Supplier<BooleanSupplier> refusing) {
    this.title = title;
    this.detail = detail;
    this.granting = granting;
    this.refusing = refusing;
  }

  Subject(String title, String granting, String refusing) {
    this(title, "`" + granting + "`", () -> pacegate(granting), () -> pacegate(refusing));
  }

  /** Returns whether it is ours. */
  public boolean isPacegate() {
    return title.startsWith("Pacegate");
  }

  /** Returns a request that is always let through: true says that it was. */
  public BooleanSupplier granting() {
    return granting.get();
  }

  /** Returns a request that is always turned away: false says that it was. */
  public BooleanSupplier refusing() {
    BooleanSupplier request = refusing.get();
    for (int i = 0; this != FLOOR && request.getAsBoolean(); i++) {
      if (i == MOST_TO_USE_UP) {
        throw new IllegalStateException(this + " refuses nothing");
      }
    }
    return request;
  }

  /** What no limiter that reads a clock and writes down what it has done can go below. */
  private static BooleanSupplier floor() {
    var word = new AtomicLong();
    return () -> {
      long now = System.nanoTime();
      while (!word.compareAndSet(word.get(), now)) {
        Thread.onSpinWait();
      }
      return true;
    };
  }

  private static BooleanSupplier pacegate(String limit) {
    Limiter limiter = Limiter.of(limit);
    return () -> limiter.tryAcquire().isPresent();
  }

  private static BooleanSupplier answering(String limit) {
    Limiter limiter = Limiter.of(limit);
    return () -> {
      try {
        limiter.acquire().answered(); // tryAcquire() would allocate an Optional now and then
        return true;
      } catch (InterruptedException e) {
        throw new IllegalStateException("interrupted while measuring", e);
      }
    };
  }

  private static BooleanSupplier answeringIfGranted(String limit) {
    Limiter limiter = Limiter.of(limit);
    return () -> {
      Optional<Permit> permit = limiter.tryAcquire();
      permit.ifPresent(Answer.END);
      return permit.isPresent();
    };
  }

  private static BooleanSupplier full(String limit) {
    Limiter limiter = Limiter.of(limit);
    return new Full(limiter, limiter.tryAcquire().orElseThrow());
  }

  /** Keeps what is open within reach: a permit that cannot be reached any more may be lost. */
  private record Full(Limiter limiter, Permit open) implements BooleanSupplier {

    @Override
    public boolean getAsBoolean() {
      return limiter.tryAcquire().isPresent();
    }
  }

  private static BooleanSupplier guava(double perSecond) {
    RateLimiter limiter = RateLimiter.create(perSecond);
    return limiter::tryAcquire;
  }

  private static BooleanSupplier bucket4j(int tokens, Duration period, TimeMeter clock) {
    Bucket bucket =
        Bucket.builder()
            .addLimit(limit -> limit.capacity(tokens).refillGreedy(tokens, period))
            .withCustomTimePrecision(clock)
            .build();
    return () -> bucket.tryConsume(1);
  }

  private static BooleanSupplier resilience4j(int permits, Duration period) {
    var config =
        RateLimiterConfig.custom()
            .limitForPeriod(permits)
            .limitRefreshPeriod(period)
            .timeoutDuration(Duration.ZERO)
            .build();
    var limiter = io.github.resilience4j.ratelimiter.RateLimiter.of("benchmark", config);
    return limiter::acquirePermission;
  }

  private static BooleanSupplier failsafe(dev.failsafe.RateLimiter<Object> limiter) {
    return limiter::tryAcquirePermit;
  }
}
