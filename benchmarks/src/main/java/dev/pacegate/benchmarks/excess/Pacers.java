package dev.pacegate.benchmarks.excess;

import dev.pacegate.limit.Limits;
import dev.pacegate.simulator.Pacer;
import dev.pacegate.time.Time;
import io.github.bucket4j.Bandwidth;
import io.github.bucket4j.Bucket;
import io.github.bucket4j.TimeMeter;
import io.github.resilience4j.ratelimiter.RateLimiterConfig;
import io.github.resilience4j.ratelimiter.internal.AtomicRateLimiter;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

/** The limiters whose clock can be replaced, as pacers in a simulated program: each lets 10/1s. */
final class Pacers {

  /** What is lost can be counted for 6 s at most: the worlds see to that. */
  static final String PEER = "peer(10/1s, unanswered=6s)";

  static final String ESTIMATED = "peer(bucket(6/1s, burst=4), unanswered=6s)";

  static final int MOST = 10;
  static final Duration INTERVAL = Duration.ofSeconds(1);

  private Pacers() {}

  static Map<String, Pacer.Maker> all() {
    return all(PEER, "10/1s", "bucket(10/1s, burst=10)");
  }

  /** For a peer that estimates: of a bucket burst and rate together are what it allows. */
  static Map<String, Pacer.Maker> forEstimates() {
    return all(ESTIMATED, PEER, "10/1s", "bucket(10/1s, burst=10)");
  }

  private static Map<String, Pacer.Maker> all(String... limits) {
    var pacers = new LinkedHashMap<String, Pacer.Maker>();
    for (String limit : limits) {
      pacers.put("Pacegate `" + limit + "`", time -> Pacer.of(Limits.parse(limit), time));
    }
    pacers.put(
        "Bucket4j, greedy refill",
        time -> bucket4j(time, limit -> limit.capacity(MOST).refillGreedy(MOST, INTERVAL)));
    pacers.put(
        "Bucket4j, refill at intervals",
        time -> bucket4j(time, limit -> limit.capacity(MOST).refillIntervally(MOST, INTERVAL)));
    pacers.put("Resilience4j", Pacers::resilience4j);
    return pacers;
  }

  /** As its blocking bucket does: reserves, and goes on when the reservation says. */
  private static Pacer bucket4j(
      Time time,
      java.util.function.Function<
              io.github.bucket4j.BandwidthBuilder.BandwidthBuilderCapacityStage,
              io.github.bucket4j.BandwidthBuilder.BandwidthBuilderBuildStage>
          configure) {
    Bandwidth bandwidth = configure.apply(Bandwidth.builder()).build();
    Bucket bucket =
        Bucket.builder().addLimit(bandwidth).withCustomTimePrecision(new Clock(time)).build();
    return (cost, go) -> {
      long at = time.nanoTime() + bucket.consumeIgnoringRateLimits(cost);
      time.at(at, () -> go.accept(Pacer.ticket(time.nanoTime())));
    };
  }

  private record Clock(Time time) implements TimeMeter {
    @Override
    public long currentTimeNanos() {
      return time.nanoTime();
    }

    @Override
    public boolean isWallClockBased() {
      return false;
    }
  }

  /** As its own waiting does: reserves, and goes on when the reservation says. */
  private static Pacer resilience4j(Time time) {
    var config =
        RateLimiterConfig.custom()
            .limitForPeriod(MOST)
            .limitRefreshPeriod(INTERVAL)
            .timeoutDuration(Duration.ofDays(10))
            .build();
    var limiter = new AtomicRateLimiter("simulated", config, time::nanoTime);
    return (cost, go) -> {
      long at = time.nanoTime() + Math.max(0, limiter.reservePermission((int) cost));
      time.at(at, () -> go.accept(Pacer.ticket(time.nanoTime())));
    };
  }
}
