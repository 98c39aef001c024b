package dev.pacegate.limit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.limit.spi.Meter;
import java.math.BigInteger;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/**
 * Limits whose price is paid later, over the whole range of their parameters, with costs and clocks
 * of any size.
 */
class LaterPaidExtremesTest {

  private static final int CASES = 5_000;
  private static final int STEPS = 40;
  private static final long SECOND = 1_000_000_000;
  private static final long DAY = 86_400 * SECOND;
  private static final long CENTURY = Spans.MAX;
  private static final long[] ORIGINS = {
    Long.MIN_VALUE, Long.MIN_VALUE + 1, -1, 0, 1, Long.MAX_VALUE - 5
  };

  @Test
  void buckets() {
    Seeds.forEach(
        CASES,
        random -> {
          Rate rate = rate(random);
          long reach = permitsIn(CENTURY, rate);
          long burst = 1 + upTo(reach - 1, random);
          long debt = 1 + upTo(reach - 1, random);
          boolean full = random.nextBoolean();
          String text =
              "bucket(%s, burst=%d, pay=later, debt=%d, initial=%s)"
                  .formatted(rate, burst, debt, full ? "full" : "empty");
          new Story(text, rate, full ? burst : 0, Math.addExact(burst, debt), random).run();
        });
  }

  @Test
  void warmUps() {
    Seeds.forEach(
        CASES,
        random -> {
          Rate rate = rate(random);
          long over = upTo(CENTURY, random);
          long cold = 1 + upTo(999, random);
          String text = "warmup(%s, over=%dns, cold=%d)".formatted(rate, over, cold);
          new Story(text, rate, 0, Long.MAX_VALUE, random).run();
        });
  }

  private static Rate rate(SplittableRandom random) {
    return switch (random.nextInt(6)) {
      case 0 -> new Rate(1, 300 * DAY);
      case 1 -> new Rate(1_000_000_000, SECOND);
      case 2 -> new Rate(1 + random.nextLong(100), SECOND);
      case 3 -> new Rate(1, 1 + upTo(CENTURY - 1, random));
      default -> {
        long nanos = 1 + upTo(CENTURY - 1, random);
        yield new Rate(1 + upTo(nanos - 1, random), nanos);
      }
    };
  }

  /** Returns how many permits take at most {@code nanos}. */
  private static long permitsIn(long nanos, Rate rate) {
    return big(nanos)
        .multiply(big(rate.permits()))
        .divide(big(rate.nanos()))
        .min(big(Long.MAX_VALUE / 4))
        .longValueExact();
  }

  /** Returns a number of any order of magnitude, both ends included. */
  private static long upTo(long most, SplittableRandom random) {
    return switch (random.nextInt(8)) {
      case 0 -> 0;
      case 1 -> most;
      default -> (random.nextLong() >>> (1 + random.nextInt(63))) % (most + 1);
    };
  }

  private static BigInteger big(long value) {
    return BigInteger.valueOf(value);
  }

  /** What is released one after another, and an account of it that knows no more than the rate. */
  private static final class Story {
    private final String text;
    private final Rate rate;
    private final long atOnce; // what it has to give at first
    private final long most; // a cost above is refused
    private final SplittableRandom random;
    private final Meter meter;
    private final long origin;
    private long now;
    private long latest; // after the origin
    private BigInteger released = BigInteger.ZERO;

    Story(String text, Rate rate, long atOnce, long most, SplittableRandom random) {
      this.text = text;
      this.rate = rate;
      this.atOnce = atOnce;
      this.most = most;
      this.random = random;
      this.origin = ORIGINS[random.nextInt(ORIGINS.length)];
      this.now = origin;
      this.meter = Limits.parse(text).newMeter(origin);
    }

    void run() {
      for (int step = 0; step < STEPS; step++) {
        pass(random.nextInt(3) == 0 ? upTo(CENTURY / STEPS, random) : upTo(SECOND, random));
        long cost = upTo(Long.MAX_VALUE - 1, random) + random.nextInt(2);
        if (random.nextBoolean()) {
          cost = 1 + upTo(20, random);
        }
        if (!offer(cost)) {
          return; // it waits for longer than clocks can tell
        }
      }
    }

    private void pass(long nanos) {
      now += nanos;
      latest = now - origin;
    }

    /** A clock that has stepped back waits no longer than that, and neither for ever. */
    private void stepBack(long cost, long wait) {
      long back = upTo(SECOND, random);
      long then = meter.nanosUntil(now - back, now - back, Cost.of(cost));
      assertTrue(then >= 0 && then <= Nanos.capped(Nanos.add(wait, back)), text + ": " + then);
    }

    private boolean offer(long cost) {
      long wait = meter.nanosUntil(now, now, Cost.of(cost));
      String what = text + ": " + cost + " waits " + wait;
      if (cost == 0) {
        assertEquals(0, wait, what);
        return true;
      }
      if (cost > most) {
        assertEquals(Meter.NEVER, wait, what);
        assertEquals(Meter.NEVER, meter.atLeast(now, now, Cost.ONE, Cost.of(cost)), what);
        return true;
      }
      assertTrue(wait >= 0 && wait <= Meter.LONGEST, what);
      long bound = meter.atLeast(now, now, Cost.of(0), Cost.of(cost));
      assertTrue(bound >= 0 && bound <= wait, what + ", at least " + bound);
      stepBack(cost, wait);
      if (wait > CENTURY || latest > CENTURY) {
        return false;
      }
      if (wait > 0) {
        assertTrue(meter.nanosUntil(now, now + wait - 1, Cost.of(cost)) > 0, what + ", or less");
      }
      assertEquals(0, meter.nanosUntil(now, now + wait, Cost.of(cost)), what + ", or more");
      meter.release(now, now + wait, Cost.of(cost));
      pass(wait);
      return charge(cost, what);
    }

    /**
     * Everything released up to here but what is owed has been paid at the rate or better: {@code
     * released - atOnce <= elapsed / T + (the debt that is left)}, and the wait of a next one is
     * never less than that debt. All in parts of nanoseconds times permits.
     */
    private boolean charge(long cost, String what) {
      released = released.add(big(cost));
      BigInteger price = released.subtract(big(atOnce)).multiply(big(rate.nanos()));
      BigInteger paid = big(latest).multiply(big(rate.permits()));
      long next = meter.nanosUntil(now, now, Cost.ONE);
      assertTrue(next >= 0 && next <= Meter.LONGEST, what + ", the next one " + next);
      if (next > CENTURY) {
        return false;
      }
      BigInteger due = big(next).multiply(big(rate.permits()));
      assertTrue(price.compareTo(paid.add(due)) <= 0, what + " costs too little: " + next);
      return true;
    }
  }
}
