package dev.pacegate.simulator.estimate;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.math.BigInteger;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class WideTest {

  private static final BigInteger LEAST_SHARE = BigInteger.ONE.shiftLeft(48);

  /** Late by more than a rounding would skip an event, early by much would take long. */
  @Test
  void dividesToTheQuotientOrALittleLess() {
    var random = new SplittableRandom(7);
    for (int i = 0; i < 100_000; i++) {
      long divisor = (random.nextLong() >>> 1 >>> random.nextInt(63)) + 1;
      long factor = random.nextLong() >>> 1 >>> random.nextInt(63);
      Wide product = Wide.product(divisor, factor);
      long quotient = product.atMostOver(divisor);
      BigInteger exact = product.toBigInteger().divide(BigInteger.valueOf(divisor));
      BigInteger missing = exact.subtract(BigInteger.valueOf(quotient));
      String text = product + " / " + divisor + " = " + exact + ", not " + quotient;
      assertTrue(missing.signum() >= 0, text);
      assertTrue(missing.compareTo(exact.divide(LEAST_SHARE).add(BigInteger.ONE)) <= 0, text);
    }
  }
}
