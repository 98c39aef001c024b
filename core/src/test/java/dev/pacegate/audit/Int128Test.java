package dev.pacegate.audit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.math.BigInteger;
import java.util.Random;
import org.junit.jupiter.api.Test;

class Int128Test {

  private static final BigInteger LONGEST = BigInteger.valueOf(Long.MAX_VALUE);

  @Test
  void calculatesAsBigIntegersDo() {
    for (int seed = 0; seed < 1000; seed++) {
      checkAgainstModel(new Random(seed), "seed " + seed);
    }
  }

  private static void checkAgainstModel(Random random, String name) {
    var wide = new Int128();
    var model = BigInteger.ZERO;
    for (int step = 0; step < 30; step++) {
      long a = any(random);
      long b = any(random) >> 2;
      switch (random.nextInt(5)) {
        case 0 -> {
          wide.add(a);
          model = model.add(big(a));
        }
        case 1 -> {
          wide.subtract(a);
          model = model.subtract(big(a));
        }
        case 2 -> {
          var other = new Int128();
          other.subtractProduct(a, b);
          wide.subtract(other);
          model = model.add(big(a).multiply(big(b)));
        }
        case 3 -> {
          wide.addProduct(a, b);
          model = model.add(big(a).multiply(big(b)));
        }
        default -> {
          wide.subtractProduct(a, b);
          model = model.subtract(big(a).multiply(big(b)));
        }
      }
      check(model, wide, a, Math.max(1, b), name);
    }
  }

  private static void check(BigInteger model, Int128 wide, long a, long b, String name) {
    assertEquals(model, wide.toBigInteger(), name);
    assertEquals(model.signum() > 0, wide.isPositive(), name);
    assertEquals(model.compareTo(big(a)) > 0, wide.exceeds(a), name);
    if (model.signum() >= 0) {
      assertEquals(model.min(LONGEST).longValueExact(), wide.saturated(), name);
      BigInteger up = model.add(big(b)).subtract(BigInteger.ONE).divide(big(b));
      assertEquals(up.min(LONGEST).longValueExact(), wide.dividedUp(b), name);
    }
    var other = new Int128();
    other.addProduct(a, b);
    assertEquals(
        model.compareTo(big(a).multiply(big(b))), Integer.signum(wide.compareTo(other)), name);
  }

  private static long any(Random random) {
    return random.nextLong() >>> (1 + random.nextInt(63));
  }

  private static BigInteger big(long value) {
    return BigInteger.valueOf(value);
  }

  @Test
  void saturates() {
    var wide = new Int128();
    for (int i = 0; i < 20; i++) {
      wide.addProduct(Long.MAX_VALUE, Long.MAX_VALUE);
    }
    assertEquals(BigInteger.TWO.pow(127).subtract(BigInteger.ONE), wide.toBigInteger());
    assertTrue(wide.exceeds(Long.MAX_VALUE));
    assertEquals(Long.MAX_VALUE, wide.saturated());
    assertEquals(Long.MAX_VALUE, wide.dividedUp(3));
  }
}
