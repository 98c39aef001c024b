package dev.pacegate.audit;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.pacegate.limit.Measure;
import dev.pacegate.limit.Promise;
import dev.pacegate.limit.Rate;
import java.math.BigInteger;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class OpenBurstTest {

  private static final long BURST = 9;

  @Test
  void findsWhatWeighingEveryIntervalFinds() {
    for (Rate rate :
        List.of(new Rate(1, 1), new Rate(1, 10), new Rate(3, 70), new Rate(97, 1000))) {
      Log.forMany(300, 30, (log, name) -> checkAgainstModel(log, rate, name + " " + rate));
    }
  }

  private static void checkAgainstModel(Log log, Rate rate, String name) {
    BigInteger highest = BigInteger.ZERO;
    for (long from : instants(log)) {
      for (long to : instants(log)) {
        if (from <= to) {
          highest = highest.max(value(rate, count(log, from, to), to - from));
        }
      }
    }
    for (long slack : new long[] {0, 7}) {
      for (long origin : Log.ORIGINS) {
        var promise = new Promise.Refilled(BURST, rate, slack, Measure.PLAIN, true);
        Verdict verdict = log.audit(promise, origin);
        assertEquals(ceil(highest, rate), verdict.measured(), name);
        BigInteger allowed = value(rate, BURST, -slack);
        assertEquals(highest.compareTo(allowed) <= 0, verdict.kept(), name);
        checkIsThere(log, rate, highest, verdict.where(), origin, name);
      }
    }
  }

  private static void checkIsThere(
      Log log, Rate rate, BigInteger highest, Stretch where, long origin, String name) {
    long counted = count(log, where.from() - origin, where.to() - origin);
    assertEquals(where.isEmpty() ? 0 : counted, where.counted(), name);
    assertEquals(highest, value(rate, where.counted(), where.nanos()), name);
  }

  private static long[] instants(Log log) {
    return log.counted().stream()
        .flatMapToLong(r -> LongStream.of(r.start(), r.end()))
        .distinct()
        .toArray();
  }

  /** What may have been counted at an instant from {@code from} to {@code to}. */
  private static long count(Log log, long from, long to) {
    return log.requests().stream()
        .filter(r -> r.start() <= to && r.end() >= from)
        .mapToLong(Log.Request::cost)
        .sum();
  }

  private static BigInteger value(Rate rate, long counted, long nanos) {
    return BigInteger.valueOf(counted)
        .multiply(BigInteger.valueOf(rate.nanos()))
        .subtract(BigInteger.valueOf(nanos).multiply(BigInteger.valueOf(rate.permits())));
  }

  private static long ceil(BigInteger value, Rate rate) {
    BigInteger nanos = BigInteger.valueOf(rate.nanos());
    return value.add(nanos).subtract(BigInteger.ONE).divide(nanos).longValueExact();
  }

  @Test
  void isTheRealisedBurstOfStartsIfThereAreNoEnds() {
    var rate = new Rate(3, 70);
    for (int burst = 1; burst < 20; burst += 6) {
      var starts = new Promise.Refilled(burst, rate, 0, Measure.PLAIN, false);
      var whole = new Promise.Refilled(burst, rate, 0, Measure.PLAIN, true);
      Log.forMany(
          300,
          30,
          (log, name) ->
              assertEquals(
                  log.withoutEnds().audit(starts, 0).measured(),
                  log.withoutEnds().audit(whole, 0).measured(),
                  name));
    }
  }

  /** Both may have been counted at 1000 ms, though they started a second apart. */
  @Test
  void countsARequestWhereThePeerMayHave() {
    assertEquals(
        "broken: at most 1 + W * 1/1s in any W, counted by the peer at any time between start and end"
            + "\n  largest burst: 2, by 2, at 1000 ms\n  limit that fits: at most 2 + W * 1/1s in any W"
            + ", counted by the peer at any time between start and end",
        Story.under("peer(bucket(1/1s))").open(0, 1000).open(1000, 1500).text());
    assertEquals(
        "kept: at most 1 + W * 1/1s in any W, counted by the peer at any time between start and end"
            + "\n  largest burst: 1, by 1, at 0 ms\n  limit that fits: at most 1 + W * 1/1s in any W"
            + ", counted by the peer at any time between start and end",
        Story.under("peer(bucket(1/1s))").open(0, 1000).open(2000, 2500).text());
  }
}
