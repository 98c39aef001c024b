package dev.pacegate.benchmarks.streams;

import dev.pacegate.benchmarks.Sent;
import dev.pacegate.benchmarks.Shaping;
import dev.pacegate.limit.Limit;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What streams deliver of their rates in real time, one sender after the other, in rounds.
 *
 * <p>Other work can only make a sender late, so the best round says what it delivers; what is
 * promised must hold in all rounds.
 */
final class Rates {

  private static final long SECOND = 1_000_000_000;
  private static final long FIRST = SECOND / 4; // not counted

  /**
   * What a sender did: what arrived by the clock of the sink, the rest by the instants of its
   * permits if it has any.
   *
   * @param delivered what arrived, as a share of the rate, in the best round
   * @param smallestGap nanoseconds between two, in any round
   * @param mostInSecond the most in any second of any round
   * @param burst the least B for which any W held at most B + W / T, in any round
   * @param kept whether its limit was kept in all rounds; null if it has none
   * @param cpu processor seconds per second, of the whole process, in the best round
   */
  record Row(
      Sender sender,
      long perSecond,
      double delivered,
      long smallestGap,
      long mostInSecond,
      long burst,
      @Nullable Boolean kept,
      double cpu) {

    Row and(Row other) {
      Row best = other.delivered > delivered ? other : this;
      return new Row(
          sender,
          perSecond,
          best.delivered,
          Math.min(smallestGap, other.smallestGap),
          Math.max(mostInSecond, other.mostInSecond),
          Math.max(burst, other.burst),
          kept == null || other.kept == null ? null : kept && other.kept,
          best.cpu);
    }
  }

  private record Key(long perSecond, Sender sender) {}

  private final long counted;
  private final Map<Key, Row> rows = new LinkedHashMap<>();

  Rates(Duration counted) {
    this.counted = counted.toNanos();
  }

  List<Row> rows() {
    return new ArrayList<>(rows.values());
  }

  /** Runs every sender once. */
  void round(long perSecond) {
    for (Sender sender : Sender.values()) {
      rows.merge(new Key(perSecond, sender), measure(sender, perSecond), Row::and);
    }
  }

  private Row measure(Sender sender, long perSecond) {
    // A window's bursts come once a second.
    long between = sender.isWindow() ? SECOND : Math.max(2 * SECOND / perSecond, SECOND / 50);
    var supply = new Supply(sender, perSecond, FIRST + counted + between + SECOND / 20);
    double busy = Shaping.busy();
    long begin = System.nanoTime();
    supply.run();
    double cpu = (Shaping.busy() - busy) / ((System.nanoTime() - begin) / 1e9);
    Limit limit = sender.limit(perSecond);
    var arrived = new Sent(supply.arrivals());
    Sent judged = limit == null ? arrived : new Sent(supply.releases());
    return new Row(
        sender,
        perSecond,
        arrived.delivered(perSecond, FIRST, counted),
        judged.smallestGap(),
        judged.mostInSecond(perSecond),
        judged.burst(perSecond),
        limit == null ? null : judged.kept(limit),
        cpu);
  }
}
