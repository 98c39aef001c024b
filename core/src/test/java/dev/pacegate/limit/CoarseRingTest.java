package dev.pacegate.limit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A {@link CoarseRing} beside a {@link TimestampRing} of the same window. */
class CoarseRingTest {

  private static final long[] ORIGINS = {Long.MIN_VALUE, -1, 0, Long.MAX_VALUE - 5};

  @ParameterizedTest
  @CsvSource({"129, 1", "1000, 24", "2047, 5", "2048, 200"})
  void isNeverEarlyAndLateByLessThanAThousandth(long permits, long hours) {
    var rate = new Rate(permits, hours * CoarseRing.SHORTEST);
    assertTrue(Releases.areCoarse(rate));
    Seeds.forEach(
        20, random -> new Pair(rate, ORIGINS[random.nextInt(ORIGINS.length)]).play(random));
  }

  /** Both rings, and the requests that may be settled for less. */
  private static final class Pair {
    private final Rate rate;
    private final TimestampRing exact;
    private final CoarseRing coarse;
    private final List<long[]> requests = new ArrayList<>();
    private long now;

    Pair(Rate rate, long origin) {
      this.rate = rate;
      this.exact = new TimestampRing(rate);
      this.coarse = new CoarseRing(rate);
      this.now = origin;
    }

    void play(SplittableRandom random) {
      long busy = 1 + rate.nanos() / (1L << random.nextInt(15)); // the mean gap of a busy time
      for (int step = 0; step < 6_000; step++) {
        boolean idles = random.nextInt(400) == 0;
        now += random.nextLong(idles ? 5 * rate.nanos() : busy);
        if (!requests.isEmpty() && random.nextInt(8) == 0) {
          takeBack(requests.get(requests.size() - 1 - random.nextInt(requests.size())));
        } else {
          add(random);
        }
        compare(random);
      }
    }

    private void add(SplittableRandom random) {
      if (random.nextInt(4) > 0) {
        exact.addOne(now, true);
        coarse.addOne(now, true);
        requests.add(new long[] {now, 1});
      } else {
        long units = 1 + random.nextLong(random.nextInt(20) == 0 ? 2 * rate.permits() : 10);
        exact.add(now, units);
        coarse.add(now, units);
        if (units <= 10) { // of more, the exact ring forgets some
          requests.add(new long[] {now, units});
        }
      }
      if (requests.size() > 50) {
        requests.remove(0);
      }
    }

    private void takeBack(long[] request) {
      exact.remove(request[0], request[1]);
      coarse.remove(request[0], request[1]);
      requests.remove(request);
    }

    private void compare(SplittableRandom random) {
      for (long back : new long[] {0, random.nextLong(rate.permits()), rate.permits() - 1}) {
        long wait = exact.untilAged(back, now);
        long found = coarse.untilAged(back, now);
        assertTrue(found >= wait, () -> back + " is early by " + (wait - found));
        assertTrue(found <= wait + rate.nanos() / 1_000, () -> back + " is late: " + found);
        assertEquals(found > 0, back < coarse.within(now));
        assertEquals(found > 0, coarse.moreThan(back, now));
      }
    }
  }
}
