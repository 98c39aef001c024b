package dev.pacegate.benchmarks;

import com.google.common.util.concurrent.RateLimiter;
import dev.pacegate.Limiter;
import dev.pacegate.audit.Audit;
import dev.pacegate.limit.Limit;
import dev.pacegate.limit.Limits;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How much of a rate endless demand gets from a limiter in real time, and whether it gets more.
 *
 * <p>Threads take permits one after the other for some seconds, of which the first is not counted.
 * Then a single thread pauses for a second and asks again: that shows what has been saved up.
 */
final class Fidelity {

  private static final long SECOND = 1_000_000_000;

  /**
   * What one limiter did.
   *
   * @param limiter its name
   * @param delivered what went, as a share of the rate, by the instants reported if there are any
   * @param mostReported the most in any second by the instants the limiter reports; null if none
   * @param mostRead the most in any second as the callers read the clock once they had a permit
   * @param mostAfterPause the same after a second without demand; null if that was not tried
   * @param kept whether the limit was kept, by the instants reported; null if there are none
   */
  record Row(
      long perSecond,
      String limiter,
      double delivered,
      @Nullable Long mostReported,
      long mostRead,
      @Nullable Long mostAfterPause,
      @Nullable Boolean kept) {}

  private final int threads;
  private final long countedNanos;
  private final List<Row> rows = new ArrayList<>();

  Fidelity(int threads, Duration counted) {
    this.threads = threads;
    this.countedNanos = counted.toNanos();
  }

  List<Row> rows() {
    return rows;
  }

  /** Measures the limiters at {@code perSecond}. */
  void measure(long perSecond) throws InterruptedException {
    pacegate(perSecond, perSecond + "/1s", 0);
    // This burst makes good 10 ms of lateness.
    pacegate(
        perSecond, "bucket(" + perSecond + "/1s, burst=" + Math.max(2, perSecond / 100) + ")", 0);
    String spacing = "spacing(" + SECOND / perSecond + "ns)";
    if (threads == 1 && perSecond <= 1_000) {
      pacegate(perSecond, spacing, 0);
    }
    if (threads == 1 && perSecond >= 1_000 && perSecond <= 10_000) {
      pacegate(perSecond, spacing, 100);
    }
    guava(perSecond);
  }

  private void pacegate(long perSecond, String text, int spinMicros) throws InterruptedException {
    Limit limit = Limits.parse(text);
    Limiter limiter =
        Limiter.builder(limit).stamped(true).spin(Duration.ofNanos(spinMicros * 1_000L)).build();
    String name = "Pacegate `" + limit + "`" + (spinMicros == 0 ? "" : ", spinning");
    measure(perSecond, name, () -> limiter.acquire().releasedAt(), limit);
  }

  private void guava(long perSecond) throws InterruptedException {
    RateLimiter limiter = RateLimiter.create(perSecond);
    Demand.Taker taker =
        () -> {
          limiter.acquire();
          return 0;
        };
    measure(perSecond, "Guava", taker, null);
  }

  private void measure(long perSecond, String name, Demand.Taker taker, @Nullable Limit limit)
      throws InterruptedException {
    long nanos = SECOND + countedNanos + 2 * SECOND / perSecond + SECOND / 20;
    Demand steady = demand(taker, nanos, perSecond);
    Demand later = null;
    if (threads == 1) {
      Thread.sleep(1_000);
      later = demand(taker, SECOND + SECOND / 20, perSecond);
    }
    rows.add(
        new Row(
            perSecond,
            name,
            new Sent(limit == null ? steady.read() : steady.reported())
                .delivered(perSecond, SECOND, countedNanos),
            limit == null ? null : new Sent(steady.reported()).mostInSecond(perSecond),
            new Sent(steady.read()).mostInSecond(perSecond),
            later == null ? null : new Sent(later.read()).mostInSecond(perSecond),
            limit == null ? null : keeps(limit, steady, later)));
  }

  private Demand demand(Demand.Taker taker, long nanos, long perSecond)
      throws InterruptedException {
    return Demand.run(taker, threads, nanos, (int) (perSecond * (nanos / SECOND + 2)));
  }

  private static boolean keeps(Limit limit, Demand steady, @Nullable Demand later) {
    var audit = Audit.of(limit);
    Arrays.stream(steady.reported()).forEach(audit::add);
    if (later != null) {
      Arrays.stream(later.reported()).forEach(audit::add);
    }
    return audit.report().kept();
  }
}
