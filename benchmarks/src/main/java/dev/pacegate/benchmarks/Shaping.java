package dev.pacegate.benchmarks;

import com.google.common.util.concurrent.RateLimiter;
import com.sun.management.OperatingSystemMXBean;
import dev.pacegate.Limiter;
import dev.pacegate.limit.Limit;
import dev.pacegate.limit.Limits;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * How evenly an endless supply is sent in real time, and what that costs: senders that keep a gap
 * between any two sendings, or nearly so, beside the least that any of them can do.
 *
 * <p>In rounds: each runs every sender once, for about a second, so that what disturbs the machine
 * for a while disturbs all alike. Other work can only make a sender late, so the best round says
 * what it delivers; what is promised must hold in all rounds.
 */
public final class Shaping {

  /** The rate at which goals are set. */
  static final long JUDGED = 1_000;

  private static final long SECOND = 1_000_000_000;
  private static final long FIRST = SECOND / 4; // not counted

  /** The programs that send at a rate. */
  enum Sender {
    BARE("a bare `parkNanos` loop", null, 0),
    WINDOW("Pacegate", "%1$d/1s", 0),
    BUCKET("Pacegate", "bucket(%1$d/1s, burst=5)", 0),
    SPACING("Pacegate", "spacing(%2$dns)", 0),
    SPINNING_100("Pacegate, spinning 100 us", "spacing(%2$dns)", 100),
    SPINNING_200("Pacegate, spinning 200 us", "spacing(%2$dns)", 200),
    GUAVA("Guava", null, 0),
    PEKKO_5("Pekko `throttle`, burst 5", null, 0),
    PEKKO_1("Pekko `throttle`, burst 1", null, 0);

    final String title;
    final @Nullable String limit; // of the rate and of the nanoseconds between two
    final int spinMicros;

    Sender(String title, @Nullable String limit, int spinMicros) {
      this.title = title;
      this.limit = limit;
      this.spinMicros = spinMicros;
    }

    @Nullable Limit limit(long perSecond) {
      return limit == null
          ? null
          : Limits.parse(String.format(limit, perSecond, SECOND / perSecond));
    }
  }

  /**
   * What a sender did, by the instants of its permits if it has any, otherwise by the clock as it
   * was read when something was sent.
   *
   * @param delivered what was sent, as a share of the rate, in the best round
   * @param medianGap nanoseconds between two sendings, in the best round
   * @param smallestGap the same, in any round
   * @param mostInSecond the most in any second of any round
   * @param burst the least B for which any W held at most B + W / T, in any round
   * @param kept whether its limit was kept in all rounds; null if it has none
   * @param cpu processor seconds per second, of the whole process, in the best round
   */
  record Row(
      Sender sender,
      long perSecond,
      double delivered,
      long medianGap,
      long smallestGap,
      long mostInSecond,
      long burst,
      @Nullable Boolean kept,
      double cpu) {

    /** Returns what both rounds say together. */
    Row and(Row other) {
      Row best = other.delivered > delivered ? other : this;
      return new Row(
          sender,
          perSecond,
          best.delivered,
          best.medianGap,
          Math.min(smallestGap, other.smallestGap),
          Math.max(mostInSecond, other.mostInSecond),
          Math.max(burst, other.burst),
          kept == null || other.kept == null ? null : kept && other.kept,
          best.cpu);
    }
  }

  /** Sends for so long, and returns the instants. */
  @FunctionalInterface
  private interface Supply {
    long[] send(long nanos) throws InterruptedException;
  }

  private record Key(long perSecond, Sender sender) {}

  private final long countedNanos;
  private final Map<Key, Row> rows = new LinkedHashMap<>();

  Shaping(Duration counted) {
    this.countedNanos = counted.toNanos();
  }

  /** Returns what was found, by rate and sender. */
  List<Row> rows() {
    return new ArrayList<>(rows.values());
  }

  /** Runs every sender once at {@code perSecond}. */
  void round(long perSecond) throws InterruptedException {
    for (Sender sender : Sender.values()) {
      rows.merge(new Key(perSecond, sender), measure(sender, perSecond), Row::and);
    }
  }

  private Row measure(Sender sender, long perSecond) throws InterruptedException {
    switch (sender) {
      case BARE:
        return measure(sender, perSecond, taking(bare(SECOND / perSecond), perSecond));
      case GUAVA:
        return measure(sender, perSecond, taking(guava(perSecond), perSecond));
      case PEKKO_5:
        return pekko(sender, perSecond, (int) perSecond, Duration.ofSeconds(1), 5);
      case PEKKO_1:
        return pekko(sender, perSecond, 1, Duration.ofNanos(SECOND / perSecond), 1);
      default:
        return measure(sender, perSecond, taking(pacegate(sender, perSecond), perSecond));
    }
  }

  private Row measure(Sender sender, long perSecond, Supply supply) throws InterruptedException {
    // A window's bursts come once a second.
    long between = sender == Sender.WINDOW ? SECOND : 2 * SECOND / perSecond;
    double busy = busy();
    long begin = System.nanoTime();
    var sent = new Sent(supply.send(FIRST + countedNanos + between + SECOND / 20));
    double cpu = (busy() - busy) / ((System.nanoTime() - begin) / 1e9);
    Limit limit = sender.limit(perSecond);
    return new Row(
        sender,
        perSecond,
        sent.delivered(perSecond, FIRST, countedNanos),
        sent.medianGap(),
        sent.smallestGap(),
        sent.mostInSecond(perSecond),
        sent.burst(perSecond),
        limit == null ? null : sent.kept(limit),
        cpu);
  }

  private static Supply taking(Demand.Taker taker, long perSecond) {
    return nanos ->
        Demand.run(taker, 1, nanos, (int) (perSecond * (nanos / SECOND + 2))).reported();
  }

  /** What anybody can reach who parks and never sends two closer than the gap. */
  static Demand.Taker bare(long gapNanos) {
    var last = new long[] {System.nanoTime() - gapNanos};
    return () -> {
      long due = last[0] + gapNanos;
      long now = System.nanoTime();
      while (now - due < 0) {
        LockSupport.parkNanos(due - now);
        now = System.nanoTime();
      }
      last[0] = now;
      return now;
    };
  }

  private static Demand.Taker pacegate(Sender sender, long perSecond) {
    Limiter limiter =
        Limiter.builder(sender.limit(perSecond))
            .stamped(true)
            .spin(Duration.ofNanos(sender.spinMicros * 1_000L))
            .build();
    return () -> limiter.acquire().releasedAt();
  }

  private static Demand.Taker guava(long perSecond) {
    RateLimiter limiter = RateLimiter.create(perSecond);
    return () -> {
      limiter.acquire();
      return System.nanoTime();
    };
  }

  /** Its timer, which ticks all the time, lives no longer than the run. */
  private Row pekko(Sender sender, long perSecond, int elements, Duration per, int burst)
      throws InterruptedException {
    try (var stream = new PekkoStream()) {
      return measure(sender, perSecond, nanos -> stream.send(elements, per, burst, nanos));
    }
  }

  /** Returns the processor seconds of this process so far. */
  public static double busy() {
    return ((OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())
            .getProcessCpuTime()
        / 1e9;
  }
}
