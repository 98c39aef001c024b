package dev.pacegate.audit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.limit.Limits;
import dev.pacegate.limit.Measure;
import dev.pacegate.limit.Promise;
import dev.pacegate.limit.Rate;
import java.math.BigInteger;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("slow")
class BurstTest {

  private static final List<Rate> RATES =
      List.of(
          new Rate(1, 1),
          new Rate(1, 10),
          new Rate(3, 7),
          new Rate(97, 1000),
          new Rate(999_999_937, 1_000_000_000),
          Rate.of(1, Duration.ofDays(36_500)),
          Rate.of(7, Duration.ofDays(300)));

  @Test
  void findsWhatWeighingEveryIntervalFinds() {
    for (Rate rate : RATES) {
      long scale = Math.min(Math.max(2, rate.nanos() / rate.permits()), 5_000_000_000_000_000L);
      Log.forMany(100, scale, (log, name) -> checkAgainstModel(log, rate, name));
    }
  }

  private static void checkAgainstModel(Log log, Rate rate, String name) {
    for (long burst : new long[] {1, 4, 12}) {
      for (long slack : new long[] {0, 1, rate.nanos() / rate.permits() / 3}) {
        checkAgainstModel(
            log, new Promise.Refilled(burst, rate, slack, Measure.PLAIN, false), name);
      }
    }
  }

  private static void checkAgainstModel(Log log, Promise.Refilled promise, String name) {
    var model = new Model(promise);
    var requests = log.counted();
    for (int i = 0; i < requests.size(); i++) {
      long counted = 0;
      long largest = 0;
      for (int j = i; j < requests.size(); j++) {
        counted += requests.get(j).cost();
        largest = Math.max(largest, requests.get(j).cost());
        model.judge(counted, largest, requests.get(j).start() - requests.get(i).start());
      }
    }
    String all = name + " " + promise;
    for (long origin : Log.ORIGINS) {
      Verdict verdict = log.audit(promise, origin);
      assertEquals(model.kept, verdict.kept(), all);
      assertEquals(model.burst(), verdict.measured(), all);
      if (!requests.isEmpty()) {
        checkIsThere(log, model, verdict.where(), origin, all);
      }
    }
  }

  private static void checkIsThere(Log log, Model model, Stretch where, long origin, String name) {
    var inside = log.counted().stream().filter(r -> isIn(where, r.start() + origin)).toList();
    assertEquals(inside.stream().mapToLong(Log.Request::cost).sum(), where.counted(), name);
    long largest = inside.stream().mapToLong(Log.Request::cost).max().orElseThrow();
    if (model.kept) {
      assertEquals(model.highest, model.value(where.counted(), where.nanos()), name);
    } else {
      assertEquals(model.mostBeyond, model.beyond(where.counted(), largest, where.nanos()), name);
    }
  }

  private static boolean isIn(Stretch stretch, long instant) {
    return instant - stretch.from() >= 0 && instant - stretch.to() <= 0;
  }

  /** Intervals one by one, in permits times the nanoseconds of the rate. */
  private static final class Model {
    final Promise.Refilled promise;
    BigInteger highest = BigInteger.ZERO;
    BigInteger mostBeyond;
    boolean kept = true;

    Model(Promise.Refilled promise) {
      this.promise = promise;
      this.mostBeyond = permits(-Long.MAX_VALUE);
    }

    void judge(long counted, long largest, long nanos) {
      BigInteger beyond = beyond(counted, largest, nanos);
      highest = highest.max(value(counted, nanos));
      mostBeyond = mostBeyond.max(beyond);
      kept &= beyond.compareTo(replenished(promise.slackNanos())) <= 0;
    }

    long burst() {
      BigInteger nanos = BigInteger.valueOf(promise.rate().nanos());
      return highest.add(nanos).subtract(BigInteger.ONE).divide(nanos).longValueExact();
    }

    BigInteger beyond(long counted, long largest, long nanos) {
      return value(counted, nanos).subtract(permits(Math.max(promise.burst(), largest)));
    }

    BigInteger value(long counted, long nanos) {
      return permits(counted).subtract(replenished(nanos));
    }

    private BigInteger permits(long permits) {
      return BigInteger.valueOf(permits).multiply(BigInteger.valueOf(promise.rate().nanos()));
    }

    private BigInteger replenished(long nanos) {
      return BigInteger.valueOf(nanos).multiply(BigInteger.valueOf(promise.rate().permits()));
    }
  }

  @Test
  void tellsTheRealisedBurst() {
    assertEquals(
        "broken: at most max(1, largest cost) + W * 10/1s in any W"
            + "\n  largest burst: 1.05, by 2 within 95ms, from 100 ms to 195 ms\n  limit that fits: "
            + "at most max(2, largest cost) + W * 10/1s in any W",
        Story.under("bucket(10/1s)").at(0, 100, 195, 300).text());
    assertEquals(
        "kept: at most max(2, largest cost) + W * 10/1s in any W"
            + "\n  largest burst: 2, by 2, at 0 ms\n  limit that fits: "
            + "at most max(2, largest cost) + W * 10/1s in any W",
        Story.under("bucket(10/1s, burst=2)").at(0, 0, 100, 200, 300, 400).text());
  }

  @Test
  void allowsAsMuchMoreAsTheSlackMakesGood() {
    assertTrue(Story.under("bucket(10/1s, slack=5ms)").at(0, 105, 200).verdict().kept());
    assertFalse(Story.under("bucket(10/1s, slack=5ms)").at(0, 106, 200).verdict().kept());
  }

  @Test
  void allowsACostAboveTheBurstWhereItIsAndOnlyThere() {
    assertTrue(Story.under("bucket(10/1s, burst=2)").costing(50, 0).at(5000).verdict().kept());
    assertFalse(
        Story.under("bucket(10/1s, burst=2)").costing(50, 0).at(9000, 9000, 9000).verdict().kept());

    Verdict atOnce = Story.under("bucket(10/1s, burst=2)").at(0, 0, 0).costing(50, 9000).verdict();
    assertFalse(atOnce.kept());
    assertEquals(50, atOnce.measured());
    assertEquals(new Stretch(3, 0, 0), atOnce.where());
  }

  /** One, and three at every seventh nanosecond: 3 per 7 ns, however often; early is early. */
  @Test
  void isExactHoweverLongTheLog() {
    var audit = Audit.of(Limits.parse("bucket(3/7ns, burst=4)")).add(0);
    for (long at = 0; at < 7_000_000; at += 7) {
      audit.add(at).add(at).add(at);
    }
    assertTrue(audit.verdict().kept());
    assertEquals(4, audit.verdict().measured());

    audit.add(7_000_000 - 1, 3);
    assertFalse(audit.verdict().kept());
    assertEquals(5, audit.verdict().measured());
    assertEquals(new Stretch(3_000_004, 0, 6_999_999), audit.verdict().where());
  }

  @Test
  void judgesBurstsOfMoreThanThreeCenturies() {
    var audit = Audit.of(Limits.parse("bucket(1/36500d)"));
    for (int i = 0; i < 1000; i++) {
      audit.add(Long.MAX_VALUE - 500 + i);
    }
    assertEquals(1000, audit.verdict().measured());

    for (int i = 0; i < 10; i++) {
      audit.add(Long.MAX_VALUE + 1000, Long.MAX_VALUE);
    }
    assertFalse(audit.verdict().kept());
    assertEquals(Long.MAX_VALUE, audit.verdict().measured());
  }
}
