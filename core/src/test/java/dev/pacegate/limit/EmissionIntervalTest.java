package dev.pacegate.limit;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.pacegate.limit.spi.Meter;
import java.math.BigInteger;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class EmissionIntervalTest {

  private static final BigInteger LONGEST = BigInteger.valueOf(Meter.LONGEST);

  private static Rate rate(SplittableRandom random) {
    long nanos = 1 + (random.nextLong(Spans.MAX) >>> random.nextInt(62));
    long permits = 1 + (random.nextLong(nanos) >>> random.nextInt(62));
    return new Rate(permits, nanos);
  }

  private static BigInteger big(long value) {
    return BigInteger.valueOf(value);
  }

  @Test
  void isExactAtAnyRateAndCost() {
    Seeds.forEach(
        20_000,
        random -> {
          Rate rate = rate(random);
          long cost = random.nextLong(Long.MAX_VALUE) >>> random.nextInt(63);
          var emission = new EmissionInterval(rate);
          BigInteger[] exact =
              big(cost).multiply(big(rate.nanos())).divideAndRemainder(big(rate.permits()));
          assertEquals(exact[0].min(LONGEST), big(emission.whole(cost)), rate + " whole " + cost);
          // The rest is in smaller parts, if rate and nanos have a divisor in common.
          BigInteger rest = big(emission.rest(cost)).multiply(big(rate.permits()));
          assertEquals(exact[1].multiply(big(emission.parts())), rest, rate + " rest " + cost);
          BigInteger up = exact[1].signum() > 0 ? BigInteger.ONE : BigInteger.ZERO;
          assertEquals(
              exact[0].add(up).min(LONGEST), big(emission.ceil(cost)), rate + " ceil " + cost);
        });
  }

  @ParameterizedTest
  @CsvSource({
    "80_000/1s, 12500, 12500",
    "3/10ns, 3, 4",
    "600_000_000/1s, 1, 2",
    "1/1m, 60000000000, 60000000000",
    "1_000_001/1s, 999, 1000",
    "1/300d, 25920000000000000, 25920000000000000"
  })
  void isNeverFasterThanWritten(String window, long whole, long ceil) {
    var emission = new EmissionInterval(((Window) Limits.parse(window)).rate());
    assertEquals(whole, emission.whole(1));
    assertEquals(ceil, emission.ceil(1));
  }

  @Test
  void convertsToAnotherRateRoundingUp() {
    Seeds.forEach(
        5_000,
        random -> {
          Rate from = rate(random);
          Rate to = rate(random);
          long cost = random.nextLong(1L << 40) >>> random.nextInt(40);
          var emission = new EmissionInterval(from);
          if (emission.whole(cost) == Meter.LONGEST) {
            return;
          }
          long converted =
              emission.convert(emission.whole(cost), emission.rest(cost), new EmissionInterval(to));
          assertEquals(
              new EmissionInterval(to).ceil(cost), converted, cost + " from " + from + " to " + to);
        });
  }

  @Test
  void tellsTheFasterOfTwoRates() {
    Seeds.forEach(
        20_000,
        random -> {
          Rate one = rate(random);
          Rate other = random.nextBoolean() ? rate(random) : one;
          int compared =
              big(one.permits())
                  .multiply(big(other.nanos()))
                  .compareTo(big(other.permits()).multiply(big(one.nanos())));
          assertEquals(compared >= 0 ? one : other, one.faster(other));
        });
  }
}
