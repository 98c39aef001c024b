package dev.pacegate.limit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.limit.spi.Meter;
import dev.pacegate.limit.spi.Past;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** When a warm-up cools, when it does not, and what it takes over. */
class WarmupTest {

  private static final long MILLI = 1_000_000;
  private static final long SECOND = 1000 * MILLI;

  private String limit = "warmup(2/1s, over=4s)"; // T = 500 ms
  private Meter meter = Limits.parse(limit).newMeter(0);
  private long now;

  private void begin(String first) {
    limit = first;
    meter = Limits.parse(first).newMeter(now);
  }

  private void change(String next) {
    meter = Changes.change(limit, meter, next, now);
    limit = next;
  }

  /** Lets one go, as soon as it may, and {@code late}; returns how long the next one waits. */
  private long go(long late) {
    long since = now;
    now += meter.nanosUntil(now, now, Cost.ONE) + late;
    meter.release(since, now, Cost.ONE);
    return meter.nanosUntil(now, now, Cost.ONE);
  }

  private void go(int times) {
    for (int i = 0; i < times; i++) {
      go(0L);
    }
  }

  @Test
  void takesThreeTimesAsLongWhenColdAndFallsInAStraightLine() {
    long[] waits = {1375, 1125, 875, 625, 500, 500};
    for (long millis : waits) {
      assertEquals(millis * MILLI, go(0L));
    }
  }

  @Test
  void latenessDoesNotCool() {
    go(8);
    for (int i = 0; i < 100; i++) {
      assertEquals(500 * MILLI, go(400 * MILLI), "after " + i);
    }
  }

  @Test
  void callsNoFurtherApartThanTheirCostStayWarm() {
    go(8);
    for (int i = 0; i < 100; i++) {
      now += 1000 * MILLI; // 500 of them after it has been paid
      assertEquals(500 * MILLI, go(0L), "after " + i);
    }
    now += 1001 * MILLI + 2 * SECOND; // the reserve takes half of the cooling
    assertTrue(go(0L) > 500 * MILLI);
  }

  @Test
  void idleForAsLongAsItTakesToWarmUpItIsCold() {
    go(100);
    now += 500 * MILLI + 4 * SECOND - MILLI;
    long nearlyCold = go(0L);
    assertTrue(nearlyCold < 1375 * MILLI && nearlyCold > 1374 * MILLI, () -> "" + nearlyCold);
    go(100);
    now += 500 * MILLI + 4 * SECOND;
    assertEquals(1375 * MILLI, go(0L));
  }

  /** No gap as long as it takes to pay for all of them is idle. */
  @Test
  void requestsOfOneInstantAreAsOneRequest() {
    go(100);
    now += 500 * MILLI;
    meter.release(now, now, Cost.of(3));
    meter.release(now, now, Cost.of(3));
    now += 3 * SECOND + 2500 * MILLI; // after an idle gap of this length it would not be warm
    assertEquals(500 * MILLI, go(0L));
  }

  /** Its price is what it takes to pay, also if the slack pays a part of it. */
  @Test
  void aRequestAtTheInstantAtWhichTheMeterIsMadeHasItsFullPrice() {
    begin("warmup(2/1s, over=4s, slack=1s)");
    meter.release(now, now, Cost.ONE);
    now += 2700 * MILLI; // 1325 of them after 1375 have passed
    assertEquals(125 * MILLI, go(0L), "not cooled: 1125 less the slack");
  }

  @Test
  void ofRequestsAtOneInstantAllAreRecalled() {
    go(100);
    now += SECOND;
    meter.release(now, now, Cost.of(2));
    meter.release(now, now, Cost.of(3));
    assertEquals(5, recalledAt(now));
    meter.release(now - SECOND, now - SECOND, Cost.ONE);
    assertEquals(6, recalledAt(now), "also if the clock has stepped back");
    now += 10 * SECOND;
    meter.release(now, now, Cost.of(2));
    assertEquals(2, recalledAt(now));
  }

  private long recalledAt(long instant) {
    var amount = new AtomicLong();
    meter.recall(
        now,
        new Past() {
          @Override
          public void supposed(long by, long units) {
            amount.addAndGet(by == instant ? units : 0);
          }
        });
    return amount.get();
  }

  @ParameterizedTest
  @CsvSource({"-1, 500", "0, 1375"})
  void aGapThatIsShortForALargeRequestCoolsAllTheSameIfItIsLong(long more, long wait) {
    go(100);
    now += SECOND;
    meter.release(now, now, Cost.of(100)); // 50 s to pay
    now += 50 * SECOND + 4 * SECOND + more;
    assertEquals(wait * MILLI, go(0L));
  }

  @Test
  void restsWhenItIsCold() {
    assertEquals(0, meter.restsIn(now));
    go(8);
    long rests = meter.restsIn(now);
    assertEquals(500 * MILLI + 4 * SECOND, rests);
    now += rests - 1;
    assertEquals(1, meter.restsIn(now));
    now += 1;
    assertEquals(0, meter.restsIn(now));
    assertEquals(1375 * MILLI, go(0L));
  }

  @Test
  void restsAfterOneRequestOnceAGapIsLongerThanItsPrice() {
    long price = go(0L);
    assertEquals(1375 * MILLI, price);
    assertEquals(2 * price + 1, meter.restsIn(now));
  }

  @ParameterizedTest
  @CsvSource({"'warmup(10/1s, over=0s)'", "'warmup(10/1s, over=4s, cold=1)'"})
  void restsAtOnceWhereColdMakesNoDifference(String limit) {
    meter = Limits.parse(limit).newMeter(now);
    go(8);
    assertEquals(100 * MILLI, meter.restsIn(now));
  }

  @Test
  void keepsItsHeatAndThePriceOfItsDebtWhenTheRateChanges() {
    go(3);
    assertEquals(875 * MILLI, meter.nanosUntil(now, now, Cost.ONE));
    change("warmup(4/1s, over=4s)");
    long[] waits = {344, 281, 250, 250};
    assertEquals(875 * MILLI, meter.nanosUntil(now, now, Cost.ONE));
    for (int i = 0; i < 4; i++) {
      assertEquals(waits[i], Math.round(go(0L) / 1e6), "after " + i);
    }
  }

  @Test
  void isAsWarmInProportionWhenItTakesLongerToWarmUp() {
    go(100);
    change("warmup(2/1s, over=40s)");
    assertEquals(500 * MILLI, go(0L));
    change("warmup(2/1s, over=4s, cold=10)");
    assertEquals(500 * MILLI, go(0L));
    change("warmup(2/1s, over=0s)");
    assertEquals(500 * MILLI, go(0L));
    change("warmup(2/1s, over=4s)");
    assertEquals(500 * MILLI, go(0L));
  }

  @Test
  void anUnusedLimitIsColdAfterAChangeToo() {
    change("warmup(2/1s, over=10s)");
    assertTrue(go(0L) > 1400 * MILLI);
    begin("10/1s");
    change("warmup(2/1s, over=4s)");
    assertEquals(1375 * MILLI, go(0L));
  }

  @Test
  void isWarmAfterALimitThatKnowsNothing() {
    begin("unlimited");
    change("warmup(2/1s, over=4s)");
    assertEquals(500 * MILLI, go(0L));
  }

  @Test
  void isWarmAfterAnotherLimitThatWasInUse() {
    begin("10/1s");
    go(5);
    change("warmup(2/1s, over=4s)");
    assertEquals(500 * MILLI, meter.nanosUntil(now, now, Cost.ONE), "the last one is yet to pay");
    assertEquals(500 * MILLI, go(0L));
    begin("10/1s");
    go(5);
    now += 10 * SECOND;
    change("warmup(2/1s, over=4s)");
    assertEquals(1375 * MILLI, go(0L), "idle since then");
  }

  @Test
  void isWarmAfterOneRequestUnderAnotherLimit() {
    begin("10/1s");
    go(1);
    change("warmup(2/1s, over=4s)");
    assertEquals(500 * MILLI, go(0L));
  }

  /** As then only the last one is to be paid, a gap longer than that is idle. */
  @Test
  void aBurstUnderAnotherLimitHasThePriceOfOneRequest() {
    begin("20/1s");
    go(20);
    change("warmup(2/1s, over=4s)");
    now += 500 * MILLI + 3 * SECOND;
    assertTrue(go(0L) > 500 * MILLI, "it has cooled");
  }
}
