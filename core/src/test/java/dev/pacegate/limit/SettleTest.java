package dev.pacegate.limit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.history.OpenRequest;
import dev.pacegate.limit.spi.Meter;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Costs that are estimated first and known later. */
class SettleTest {

  private static final long SECOND = 1_000_000_000;
  private static final long[] ORIGINS = {Long.MIN_VALUE, -1, 0, Long.MAX_VALUE - 5};

  private static Cost tokens(long amount) {
    return Cost.of(amount).and("tokens", amount);
  }

  @Test
  void isTakenBackInTheIntervalOfTheRelease() {
    Meter meter = Limits.parse("10/1s").newMeter(0);
    meter.release(0, 0, Cost.of(5));
    meter.release(900_000_000, 900_000_000, Cost.of(5));
    meter.settle(0, 950_000_000, Cost.of(5), Cost.of(1));
    assertEquals(0, meter.nanosUntil(950_000_000, 950_000_000, Cost.of(4)));
    assertEquals(50_000_000, meter.nanosUntil(950_000_000, 950_000_000, Cost.of(5)));
    // Taken back from the later five it would be six at once.
    assertEquals(900_000_000, meter.nanosUntil(SECOND, SECOND, Cost.of(6)));
  }

  @Test
  void aBucketGivesBackNoMoreThanItCouldHaveHeld() {
    Meter meter = Limits.parse("bucket(1/1s, burst=10)").newMeter(0);
    meter.release(0, 0, Cost.of(10));
    meter.settle(0, 2 * SECOND, Cost.of(10), Cost.of(4));
    assertEquals(0, meter.nanosUntil(2 * SECOND, 2 * SECOND, Cost.of(6)));
    assertEquals(SECOND, meter.nanosUntil(2 * SECOND, 2 * SECOND, Cost.of(7)), "8 but for 2");
    meter.settle(0, 20 * SECOND, Cost.of(4), Cost.of(0));
    assertEquals(
        SECOND * 10, SECOND * 10 + meter.nanosUntil(20 * SECOND, 20 * SECOND, Cost.of(10)));
  }

  @Test
  void aPeersBucketGivesBackWhatItDoesNotCount() {
    Meter meter = Limits.parse("peer(bucket(1/1s, burst=40, initial=full), margin=0s)").newMeter(0);
    meter.release(0, 0, Cost.of(40));
    meter.settle(0, 0, Cost.of(40), Cost.of(10));
    assertEquals(0, meter.nanosUntil(0, 0, Cost.of(30)));
    meter.end(0, 0, Cost.of(10), Outcome.ANSWERED);
    assertEquals(10 * SECOND, meter.nanosUntil(0, 0, Cost.of(40)), "nothing is in flight");
  }

  @Test
  void anAccompanyingMeterIsSettledAsWell() {
    Meter meter = Limits.parse("10/1m").newMeter(0);
    meter = Changes.change("10/1m", meter, "5/1s", 0);
    for (int i = 0; i < 60; i++) {
      meter.release(i * SECOND / 2, i * SECOND / 2, Cost.of(5));
      meter.settle(i * SECOND / 2, i * SECOND / 2, Cost.of(5), Cost.ONE);
    }
    assertEquals(0, meter.nanosUntil(30 * SECOND, 30 * SECOND, Cost.ONE));
  }

  @Test
  void aLateSettlementChangesNoLaterFixedWindow() {
    Meter meter = Limits.parse("fixed(10/1s)").newMeter(0);
    meter.release(0, 0, Cost.of(10));
    meter.settle(0, 1, Cost.of(10), Cost.of(3));
    assertEquals(0, meter.nanosUntil(1, 1, Cost.of(7)));
    meter.release(SECOND, SECOND, Cost.of(10));
    meter.settle(0, SECOND, Cost.of(3), Cost.of(1));
    assertTrue(meter.nanosUntil(SECOND, SECOND, Cost.ONE) > 0);
  }

  /** A wait for more than the bucket holds is part of the price; it is not paid out again. */
  @Test
  void aCostPaidByWaitingIsNotGivenBack() {
    Meter meter = Limits.parse("bucket(1/1s, burst=10)").newMeter(0);
    meter.release(0, 5 * SECOND, Cost.of(15));
    meter.settle(5 * SECOND, 5 * SECOND, Cost.of(15), Cost.of(10));
    assertEquals(SECOND, meter.nanosUntil(5 * SECOND, 5 * SECOND, Cost.ONE));
    meter.settle(5 * SECOND, 5 * SECOND, Cost.of(10), Cost.of(9));
    assertEquals(0, meter.nanosUntil(5 * SECOND, 5 * SECOND, Cost.ONE));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "10/1s of tokens",
        "fixed(10/1s, of=tokens)",
        "bucket(10/1s, burst=10, of=tokens)",
        "warmup(10/1s, over=3s, of=tokens)"
      })
  void aMissingCostIsPaidBeforeTheNextOneGoes(String text) {
    for (long origin : ORIGINS) {
      for (long later : new long[] {0, SECOND / 2, SECOND, 7 * SECOND}) {
        Meter meter = Limits.parse(text).newMeter(origin);
        meter.release(origin, origin, Cost.of("tokens", 0));
        long now = origin + later;
        meter.settle(origin, now, Cost.of("tokens", 0), Cost.of("tokens", 10));
        long wait = meter.nanosUntil(now, now, Cost.of("tokens", 10));
        assertTrue(wait > 0 && wait <= 2 * SECOND, () -> wait + " from " + origin);
      }
    }
  }

  /** What a looser limit let go is more than this one remembers: nothing of it is set free. */
  @ParameterizedTest
  @CsvSource({"100/1m, 10/1m", "1000/1m, 10/1m", "100/1m, 'peer(10/1m)'", "'peer(100/1m)', 10/1m"})
  void anExcessOfTheOldLimitStaysTooMuch(String old, String fresh) {
    Meter meter = Limits.parse(old).newMeter(0);
    for (int i = 0; i < 33; i++) {
      meter.release(i * SECOND, i * SECOND, Cost.of(3));
    }
    long now = 33 * SECOND;
    Limit before = Limits.parse(old);
    List<OpenRequest> open = new ArrayList<>();
    for (int i = 0; i < 33 && meter.tracks(); i++) {
      open.add(new OpenRequest(i * SECOND, Cost.of(3)));
    }
    Limit next = Limits.parse(fresh);
    meter = Changes.change(before, meter, next, now, InstantSource.system(), open);
    for (int i = 25; i < 33; i++) {
      meter.settle(i * SECOND, now, Cost.of(3), Cost.ONE);
    }
    assertTrue(meter.nanosUntil(now, now, Cost.ONE) > 0);
  }

  private static final class Request {
    final long start;
    final long actual;
    long charged;
    long closed = Long.MAX_VALUE;

    Request(long start, long charged, long actual) {
      this.start = start;
      this.charged = charged;
      this.actual = actual;
    }
  }

  /** Estimates are never too low, answers come in any order: what it really cost is judged. */
  @Tag("slow")
  @ParameterizedTest
  @ValueSource(
      strings = {
        "10/1s",
        "40/1s of tokens",
        "2000/10s",
        "90000/1m of tokens",
        "bucket(10/1s, burst=40)",
        "bucket(7/1s, burst=20, slack=300ms)",
        "bucket(10/1s, burst=20, pay=later)",
        "fixed(30/1s)",
        "warmup(10/1s, over=3s)",
        "peer(40/1s, unanswered=2s)",
        "peer(bucket(10/1s, burst=40, initial=full), unanswered=2s)",
        "aligned(40/1s, margin=100ms, unanswered=2s)",
        "aligned(300/10s, margin=0s, of=tokens)",
        "10/1s & 60/10s & bucket(20/1s, burst=30)",
        "peer(20/1s & 90/10s of tokens, unanswered=2s)"
      })
  void noPromiseIsBroken(String text) {
    Limit limit = Limits.parse(text);
    Seeds.forEach(300, random -> play(limit, random));
  }

  private void play(Limit limit, SplittableRandom random) {
    long origin = ORIGINS[random.nextInt(ORIGINS.length)];
    var passed = new AtomicLong();
    Meter meter = limit.newMeter(origin, () -> Play.BEGAN.plusNanos(passed.get()));
    var shape = new Shape(limit);
    var all = new ArrayList<Request>();
    var open = new ArrayList<Request>();
    long most = Math.min(60, shape.most());
    long now = 0;
    for (int i = 0; i < 120; i++) {
      now += Math.min(shape.gap(random), 3 * SECOND);
      passed.set(now);
      while (!open.isEmpty() && random.nextInt(3) == 0) {
        answer(meter, open.remove(random.nextInt(open.size())), origin, now);
      }
      long estimate = 1 + random.nextLong(most);
      if (meter.nanosUntil(origin + now, origin + now, tokens(estimate)) == 0) {
        meter.release(origin + now, origin + now, tokens(estimate));
        var request = new Request(now, estimate, random.nextLong(estimate + 1));
        all.add(request);
        open.add(request);
      }
    }
    judge(limit, all, now, random);
  }

  /** The cost becomes known in one step or two, and then the permit ends. */
  private static void answer(Meter meter, Request request, long origin, long now) {
    long between = (request.charged + request.actual) / 2;
    for (long better : new long[] {between, request.actual}) {
      meter.settle(origin + request.start, origin + now, tokens(request.charged), tokens(better));
      request.charged = better;
    }
    request.closed = now;
    if (meter.tracks()) {
      meter.end(origin + request.start, origin + now, tokens(request.charged), Outcome.ANSWERED);
    }
  }

  private static void judge(Limit limit, List<Request> all, long now, SplittableRandom random) {
    var spans = new ArrayList<Play.Span>();
    for (Request request : all) {
      var span = new Play.Span(request.start, tokens(request.actual));
      span.closed = request.closed;
      span.end = request.closed;
      spans.add(span);
    }
    if (limit instanceof Peer peer && peer.limit() instanceof Bucket) {
      Oracle.countAtThePeer(peer, spans, now, random);
    } else {
      Oracle.judge(limit, spans);
    }
  }

  /** Sooner or later all that was charged too much is there again: nothing is lost for ever. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "10/1s",
        "90000/1m of tokens",
        "2000/10s",
        "peer(40/1s)",
        "fixed(30/1s)",
        "aligned(40/5s)"
      })
  void isGivenBackInFull(String text) {
    Limit limit = Limits.parse(text);
    Seeds.forEach(
        100,
        random -> {
          var passed = new AtomicLong();
          Meter meter = limit.newMeter(0, () -> Play.BEGAN.plusNanos(passed.get()));
          long all = new Shape(limit).most();
          long now = 0;
          for (int i = 0; i < 200; i++) {
            now += random.nextLong(SECOND);
            passed.set(now);
            long estimate = all - random.nextLong(all / 4 + 1);
            long wait = meter.nanosUntil(now, now, tokens(estimate));
            now += wait;
            passed.set(now);
            meter.release(now, now, tokens(estimate));
            meter.settle(now, now, tokens(estimate), Cost.of(0));
            assertEquals(0, meter.nanosUntil(now, now, tokens(1)), "there is room for one");
            if (meter.tracks()) {
              meter.end(now, now, Cost.of(0), Outcome.ANSWERED);
            }
            assertTrue(wait <= 60 * SECOND, () -> "waited " + wait);
          }
        });
  }

  /** Of what is estimated one is left half a second later: just so many in a second, for ever. */
  @ParameterizedTest
  @CsvSource({"10/1s, 4", "14/1s, 6", "'peer(10/1s, margin=0s)', 4"})
  void nothingIsLostInTheLongRun(String text, long estimated) {
    Meter meter = Limits.parse(text).newMeter(0);
    long step = SECOND / 4;
    Cost estimate = Cost.of(estimated);
    for (int i = 0; i < 20_000; i++) {
      long now = i * step;
      if (i >= 2) {
        meter.settle(now - 2 * step, now, estimate, Cost.ONE);
        meter.end(now - 2 * step, now - 2 * step, Cost.ONE, Outcome.ANSWERED);
      }
      assertEquals(0, meter.nanosUntil(now, now, estimate), "number " + i);
      assertEquals(0, meter.nanosUntil(now, now, Cost.ONE), "one of number " + i);
      meter.release(now, now, estimate);
    }
  }
}
