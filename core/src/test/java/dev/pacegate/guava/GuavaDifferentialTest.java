package dev.pacegate.guava;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.Limiter;
import dev.pacegate.limit.Seeds;
import dev.pacegate.time.ManualTime;
import java.time.Duration;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Random callers, on limiters and on {@link GuavaModel}: the same waits, the same refusals. */
@Timeout(120)
class GuavaDifferentialTest {

  private static final int CASES = 500;
  private static final int STEPS = 200;

  /**
   * Nanoseconds. Ours rounds the length of a warm-up's slope, where permits are up to ten times as
   * dear here, and each cooling to whole ones; the model, everything to the 53 bits of a double.
   * Both add up over the steps of a case.
   */
  private static final double TOLERANCE = 100;

  /** Closer than this to the instant from which a try is granted, rounding decides. */
  private static final double TIE = 100;

  private static final long[] ORIGINS = {Long.MIN_VALUE, -1, 0, Long.MAX_VALUE - 5};

  @Test
  void burstyIsGuavas() {
    Seeds.forEach(CASES, random -> new Bursty(random).run());
  }

  @Test
  void warmingUpIsGuavas() {
    Seeds.forEach(CASES, random -> new WarmingUp(random).run());
  }

  /** So many permits per so many nanoseconds. */
  private record Pace(long permits, long nanos) {
    double perSecond() {
      return permits * 1e9 / (double) nanos;
    }

    double interval() {
      return (double) nanos / permits;
    }

    @Override
    public String toString() {
      return permits + "/" + nanos + "ns";
    }
  }

  private static final Pace[] PACES = {
    new Pace(5, 1_000_000_000L),
    new Pace(1, 1_000_000_000L),
    new Pace(1, 60_000_000_000L),
    new Pace(7, 1_000_000_000L), // no whole number of nanoseconds
    new Pace(3, 10_000_000_000L),
    new Pace(80_000, 1_000_000_000L),
    new Pace(1_000_001, 1_000_000_000L), // no whole number of microseconds
    new Pace(123, 4_567_891_011L)
  };

  /** One caller of both. */
  private abstract static class Twins {
    final SplittableRandom random;
    final long origin;
    final ManualTime time;
    Pace pace;
    double price; // of the last request: how long the next one would have waited

    Twins(SplittableRandom random) {
      this.random = random;
      this.origin = ORIGINS[random.nextInt(ORIGINS.length)];
      this.time = ManualTime.selfAdvancing(origin);
      this.pace = anyPace();
    }

    abstract Limiter limiter();

    abstract GuavaModel model();

    /** Changes both to {@code pace}, or leaves it. */
    abstract void change();

    /** Lets time pass where ours is meant to differ; nothing unless it is. */
    void keepToWhatIsTheSame() {}

    final void run() {
      for (int step = 0; step < STEPS; step++) {
        switch (random.nextInt(20)) {
          case 0, 1, 2, 3, 4 -> sleep(anySleep());
          case 5, 6, 7, 8, 9 -> tryOnce();
          case 10 -> change();
          default -> acquire(anyCost());
        }
      }
    }

    final Pace anyPace() {
      return PACES[random.nextInt(PACES.length)];
    }

    final double now() {
      return (double) (time.nanoTime() - origin);
    }

    final void sleep(double nanos) {
      time.advanceNanos(Math.max(0, Math.round(nanos)));
    }

    private double anySleep() {
      double untilFree = model().nextFree() - now();
      return switch (random.nextInt(6)) {
        case 0 -> pace.interval() * random.nextInt(10);
        case 1 -> untilFree + random.nextInt(3) - 1;
        case 2 -> untilFree + pace.interval() * random.nextInt(10);
        case 3 -> pace.interval() * 1e4; // long enough for anything to be full
        case 4 -> random.nextDouble() * untilFree;
        default -> pace.interval() * 4 * random.nextDouble();
      };
    }

    private long anyCost() {
      return switch (random.nextInt(8)) {
        case 0 -> random.nextLong(2, 8);
        case 1 -> random.nextLong(100);
        default -> 1;
      };
    }

    private void acquire(long cost) {
      keepToWhatIsTheSame();
      double began = now();
      double planned = cost == 0 ? 0 : model().acquire(began, (double) cost); // free
      try {
        limiter().acquire(cost);
      } catch (InterruptedException unexpected) {
        throw new AssertionError(unexpected);
      }
      price = cost == 0 ? price : model().nextFree() - now();
      assertEquals(planned, now() - began, TOLERANCE, () -> cost + " at " + began + this);
    }

    private void tryOnce() {
      keepToWhatIsTheSame();
      double began = now();
      double untilFree = model().nextFree() - began;
      long cost = Math.max(1, anyCost());
      long timeout =
          switch (random.nextInt(4)) {
            case 0 -> 0;
            case 1 -> Math.round(untilFree) + (random.nextBoolean() ? 101 : -101);
            case 2 -> Math.round(Math.max(0, untilFree) * 2 * random.nextDouble());
            default -> Math.round(pace.interval() * random.nextInt(4));
          };
      if (Math.abs(Math.max(0, timeout) - untilFree) <= TIE) {
        return;
      }
      boolean expected = model().goesWithin(began, (double) Math.max(0, timeout));
      double planned = expected ? model().acquire(began, (double) cost) : 0;
      try {
        boolean granted = limiter().tryAcquire(cost, Duration.ofNanos(timeout)).isPresent();
        assertEquals(expected, granted, () -> "within " + timeout + " at " + began + this);
      } catch (InterruptedException unexpected) {
        throw new AssertionError(unexpected);
      }
      price = expected ? model().nextFree() - now() : price;
      assertEquals(planned, now() - began, TOLERANCE, () -> "try at " + began + this);
    }

    @Override
    public String toString() {
      return " of " + limiter().limit();
    }
  }

  private static final class Bursty extends Twins {
    private final Limiter limiter;
    private final GuavaModel model;
    private final int intervals;

    Bursty(SplittableRandom random) {
      super(random);
      this.intervals = 1 + random.nextInt(3);
      this.limiter = Limiter.builder(text()).time(time).build();
      this.model = GuavaModel.bursty(pace.perSecond(), seconds(), 0);
    }

    private String text() {
      return "bucket(%s, burst=%d, pay=later, debt=1000, initial=empty)".formatted(pace, burst());
    }

    private long burst() {
      return pace.permits() * intervals;
    }

    private double seconds() {
      return burst() / pace.perSecond();
    }

    @Override
    Limiter limiter() {
      return limiter;
    }

    @Override
    GuavaModel model() {
      return model;
    }

    /**
     * Guava scales what is stored, ours keeps it: they are the same as long as there is nothing.
     * Guava's seconds of burst cannot be changed, so only to a pace of the same interval.
     */
    @Override
    void change() {
      Pace next = anyPace();
      if (model.nextFree() > now() && model.stored() == 0 && next.nanos() == pace.nanos()) {
        pace = next;
        model.setRate(now(), pace.perSecond());
        limiter.setLimit(text());
      }
    }
  }

  private static final class WarmingUp extends Twins {
    private final Limiter limiter;
    private final GuavaModel model;
    private final long over;
    private final int cold;

    WarmingUp(SplittableRandom random) {
      super(random);
      this.over = Math.round(pace.interval() * (0.5 + 20 * random.nextDouble()));
      this.cold = 1 + random.nextInt(10);
      this.limiter = Limiter.builder(text()).time(time).build();
      this.model = GuavaModel.warmingUp(pace.perSecond(), (double) over, cold, 0);
    }

    private String text() {
      return "warmup(%s, over=%dns, cold=%d)".formatted(pace, over, cold);
    }

    @Override
    Limiter limiter() {
      return limiter;
    }

    @Override
    GuavaModel model() {
      return model;
    }

    /**
     * Idleness of no more than one interval (for a request of many permits, as many) cools Guava's
     * and not ours.
     */
    @Override
    void keepToWhatIsTheSame() {
      double idle = now() - model.nextFree();
      double calm = Math.max(price, model.presentInterval()) + 100;
      if (idle > -1 && idle < calm) {
        sleep(calm - idle + random.nextInt(1_000));
      }
    }

    @Override
    void change() {
      keepToWhatIsTheSame();
      Pace next = anyPace();
      double ratio = next.interval() / pace.interval();
      if (ratio < 1e-3 || ratio > 1e3) {
        return; // a warm-up of a fraction of an interval, or of millions: no use
      }
      pace = next;
      model.setRate(now(), pace.perSecond());
      limiter.setLimit(text());
    }
  }

  /** an interval that passes between two tries is no idleness. */
  @Test
  void aCallerThatOnlyTriesWarmsUpToo() {
    var time = ManualTime.manual();
    Limiter limiter = Limiter.builder("warmup(10/1s, over=500ms)").time(time).build();
    var model = GuavaModel.warmingUp(10, 500e6, 3, 0);
    int ours = 0;
    int guavas = 0;
    for (int i = 0; i < 100; i++) {
      double now = (double) time.nanoTime();
      if (model.goesWithin(now, 0)) {
        model.acquire(now, 1);
        guavas++;
      }
      ours += limiter.tryAcquire().isPresent() ? 1 : 0;
      time.advance(Duration.ofMillis(120));
    }
    assertEquals(34, guavas);
    assertTrue(ours >= 95, ours + " of 100");
  }

  /** A gap of one interval does not cool; of a longer one, all of it does. */
  @Test
  void aGapOfOneIntervalDoesNotCoolAndALongerOneDoes() throws InterruptedException {
    assertEquals(100_000_000, priceAfterAGapOf(100_000_000));
    var model = GuavaModel.warmingUp(10, 110e6, 3, 0);
    for (int i = 0; i < 5; i++) {
      model.acquire(model.nextFree(), 1);
    }
    double now = model.nextFree() + 100_000_001;
    model.acquire(now, 1);
    double guavas = model.nextFree() - now;
    assertTrue(guavas > 130e6, () -> "cooler: " + guavas);
    assertEquals(guavas, (double) priceAfterAGapOf(100_000_001), TOLERANCE);
  }

  /** Returns the price of one that comes so long after it could have gone. */
  private static long priceAfterAGapOf(long nanos) throws InterruptedException {
    var time = ManualTime.selfAdvancing();
    Limiter limiter = Limiter.builder("warmup(10/1s, over=110ms)").time(time).build();
    for (int i = 0; i < 5; i++) {
      limiter.acquire();
    }
    time.advance(limiter.estimateWait(1));
    time.advanceNanos(nanos);
    limiter.acquire();
    return limiter.estimateWait(1).toNanos();
  }

  /** No request is served a moment before Guava would, at boundaries to the nanosecond. */
  @Test
  void dueToTheNanosecond() {
    for (String limit :
        new String[] {"bucket(5/1s, burst=5, pay=later, initial=empty)", "warmup(5/1s, over=0s)"}) {
      var time = ManualTime.manual();
      Limiter limiter = Limiter.builder(limit).time(time).build();
      for (int i = 0; i < 20; i++) {
        assertTrue(limiter.tryAcquire().isPresent(), limit);
        time.advanceNanos(199_999_999);
        assertTrue(limiter.tryAcquire().isEmpty(), limit);
        time.advanceNanos(1);
      }
    }
  }
}
