package dev.pacegate.limit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.audit.Audit;
import dev.pacegate.limit.spi.Meter;
import java.util.Comparator;
import java.util.PriorityQueue;
import java.util.SplittableRandom;
import java.util.function.IntToLongFunction;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Windows of all sizes deliver, whatever requests cost, 99.9 % of what an exact window delivers:
 * each request goes at most 0.1 % later than there. And never more: none goes earlier.
 */
class DeliveryTest {

  private static final int SEEDS = 3;

  @ParameterizedTest
  @ValueSource(
      strings = {
        "1/1s",
        "2/1s",
        "3/10ns",
        "10/1m",
        "1000/1s",
        "2046/1s",
        "2047/1s",
        "2048/1s",
        "2049/1s",
        "3000/3us",
        "5000/1s",
        "10_000/1s",
        "90_000/1m",
        "1_000_000/1d",
        "999_983/1ms",
        "1_000_000_000/1s",
        "1_000_000_000/100d"
      })
  void aWindowDeliversWhatAnExactOneDoes(String text) {
    Limit limit = Limits.parse(text);
    serveAll(limit, ((Window) limit).rate());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "1/1s",
        "2/1s",
        "10/1m",
        "1024/1s",
        "1025/1s",
        "2048/1s",
        "5000/1s",
        "90_000/1m",
        "999_983/1ms",
        "1_000_000_000/1s"
      })
  void soDoesOneAsThePeerCounts(String text) {
    Rate rate = ((Window) Limits.parse(text)).rate();
    serveAll(Limits.parse("peer(" + text + ", margin=0s)"), rate);
  }

  private static void serveAll(Limit limit, Rate rate) {
    Seeds.forEach(
        SEEDS,
        random -> {
          for (long cost : Demand.costs(rate.permits())) {
            serve(limit, rate, Demand.of(cost, rate, random), i -> 0);
          }
          serve(limit, rate, Demand.mixed(rate, random), i -> 0);
        });
  }

  /** What is lost is held for long, each at an instant of its own, and holds up nothing else. */
  @ParameterizedTest
  @CsvSource({"5000, 1s, 300s", "5000, 1s, 30s", "5000, 1s, 200ms", "1_000_000, 1ms, 1s"})
  void soDoesOneOfWhichMuchIsLost(String permits, String interval, String unanswered) {
    String window = permits + "/" + interval;
    Rate rate = ((Window) Limits.parse(window)).rate();
    var peer =
        (Peer) Limits.parse("peer(" + window + ", margin=0s, unanswered=" + unanswered + ")");
    Seeds.forEach(
        SEEDS,
        random -> {
          Demand demand = losing(rate, peer.unansweredNanos(), random);
          serve(peer, rate, demand, i -> isLost(demand, rate, i) ? peer.unansweredNanos() : 0);
        });
  }

  private static boolean isLost(Demand demand, Rate rate, int request) {
    return demand.cost(request) <= rate.permits() / 5000;
  }

  /** Small ones, 60 % of the limit until the first come back, among a hundred times larger ones. */
  private static Demand losing(Rate rate, long unanswered, SplittableRandom random) {
    int requests = 60_000;
    var arrivals = new long[requests];
    var costs = new long[requests];
    long small = rate.permits() / 5000;
    double lostEvery = (double) unanswered / 3000;
    double next = 0;
    double at = 0;
    for (int i = 0; i < requests; i++) {
      boolean lost = at >= next;
      next += lost ? 2 * random.nextDouble() * lostEvery : 0;
      costs[i] = lost ? small : 2 * small + random.nextLong(100 * small);
      at += (double) costs[i] * rate.nanos() / rate.permits() / 2;
      arrivals[i] = (long) at;
    }
    return new Demand(arrivals, costs);
  }

  private static void serve(Limit limit, Rate rate, Demand demand, IntToLongFunction lostFor) {
    Meter meter = limit.newMeter(0);
    var exact = new Exact(rate);
    var audit = Audit.of(limit);
    long now = 0;
    long exactly = 0;
    for (int i = 0; i < demand.size(); i++) {
      Cost cost = Cost.of(demand.cost(i));
      exactly = exact.release(Math.max(exactly, demand.arrival(i)), cost.plain, lostFor, i);
      long since = Math.max(now, demand.arrival(i));
      now = since + meter.nanosUntil(since, since, cost);
      assertEquals(0, meter.nanosUntil(since, now, cost));
      meter.release(since, now, cost);
      long lost = lostFor.applyAsLong(i);
      if (meter.tracks()) {
        meter.end(now, now, cost, lost > 0 ? Outcome.LOST : Outcome.ANSWERED);
      }
      audit.add(now, now + lost, cost);
      assertIsOnTime(limit, i, cost, now, exactly);
    }
    assertTrue(audit.report().kept(), () -> audit.report().text());
  }

  private static void assertIsOnTime(Limit limit, int i, Cost cost, long now, long exactly) {
    if (now < exactly || now - exactly > exactly / 1000) {
      throw new AssertionError(
          limit + ": number " + i + " of " + cost + " at " + now + ", exactly " + exactly);
    }
  }

  /** A window that remembers every request by itself. */
  private static final class Exact {
    private record Request(long counts, long amount) {}

    private final Rate rate;
    private final PriorityQueue<Request> young =
        new PriorityQueue<>(Comparator.comparingLong(Request::counts));
    private long sum;

    Exact(Rate rate) {
      this.rate = rate;
    }

    /** Returns when {@code amount} goes that has been first in the queue from {@code since}. */
    long release(long since, long amount, IntToLongFunction lostFor, int number) {
      long now = since;
      while (true) {
        Request oldest = young.peek();
        if (oldest != null && oldest.counts + rate.nanos() <= now) {
          sum -= young.remove().amount;
        } else if (oldest != null && sum + amount > rate.permits()) {
          now = oldest.counts + rate.nanos();
        } else {
          young.add(new Request(now + lostFor.applyAsLong(number), amount));
          sum += amount;
          return now;
        }
      }
    }
  }
}
