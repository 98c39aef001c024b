package dev.pacegate.limit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.history.OpenRequest;
import dev.pacegate.limit.spi.Meter;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A peer that counts per window of its own clock, and how much of what it gives is used. */
class AlignedPeerTest {

  private static final long SECOND = 1_000_000_000L;
  private static final long MILLI = 1_000_000L;

  /** A request that is under way. */
  private record Sent(long start, long end, Outcome how) {}

  /** Sends all that a limit lets through, and counts it where the peer does. */
  private static final class World {
    final Aligned limit;
    final Meter meter;
    final SplittableRandom random;
    final long began = CalendarWindows.nanos(Instant.parse("2026-11-20T11:58:03Z"));
    final long offset; // of the peer's clock
    final boolean dates;
    final Map<Long, Long> counts = new HashMap<>();
    final PriorityQueue<Sent> open = new PriorityQueue<>(Comparator.comparingLong(Sent::end));
    long now;
    long sent;

    World(String limit, long offset, boolean dates, SplittableRandom random) {
      this.limit = (Aligned) Limits.parse(limit);
      this.meter = this.limit.newMeter(0, () -> Instant.ofEpochSecond(0, began + now));
      this.offset = offset;
      this.dates = dates;
      this.random = random;
    }

    void run(long sends) {
      while (sent < sends) {
        long wait = meter.nanosUntil(now, now, Cost.ONE);
        long due = wait >= Meter.AT_EVENT ? Long.MAX_VALUE : now + wait;
        if (!open.isEmpty() && open.peek().end <= due) {
          end(open.remove());
        } else {
          now = due + (random.nextInt(3) == 0 ? random.nextLong(MILLI) : 0);
          if (meter.nanosUntil(now, now, Cost.ONE) == 0) {
            send();
          }
        }
      }
    }

    private void send() {
      meter.release(now, now, Cost.ONE);
      sent++;
      long lasts = 20 * MILLI + random.nextLong(60 * MILLI);
      if (random.nextInt(100) == 0) {
        lasts += random.nextLong(2 * SECOND);
      }
      boolean lost = random.nextInt(200) == 0;
      long end = now + (lost ? limit.unansweredNanos() : lasts);
      long counted = random.nextBoolean() ? end : now + random.nextLong(end - now + 1);
      counts.merge(limit.windows().index(began + counted + offset), 1L, Long::sum);
      long known = lost ? now + random.nextLong(SECOND) : end; // a client times out
      open.add(new Sent(now, known, lost ? Outcome.LOST : Outcome.ANSWERED));
    }

    private void end(Sent sent) {
      now = Math.max(now, sent.end);
      if (dates && sent.how == Outcome.ANSWERED) {
        long by = sent.start + random.nextLong(now - sent.start + 1);
        long date = Math.floorDiv(began + by + offset, SECOND);
        meter.dated(sent.start, now, Instant.ofEpochSecond(date));
      }
      meter.end(sent.start, now, Cost.ONE, sent.how);
    }

    long most() {
      return counts.values().stream().mapToLong(Long::longValue).max().orElse(0);
    }

    /** Returns how much of what all windows but the first and the last give was used. */
    double used() {
      long first = counts.keySet().stream().mapToLong(Long::longValue).min().orElseThrow();
      long last = counts.keySet().stream().mapToLong(Long::longValue).max().orElseThrow();
      long between =
          counts.entrySet().stream()
              .filter(count -> count.getKey() > first && count.getKey() < last)
              .mapToLong(Map.Entry::getValue)
              .sum();
      return (double) between / limit.max() / (last - first - 1);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "'aligned(1200/1m, unanswered=5s)', 1000",
    "'aligned(300/1m, margin=100ms, unanswered=5s)', 100",
    "'aligned(50/10s, margin=50ms, unanswered=3s)', 50",
    "'aligned(40/5s, margin=500ms, unanswered=2s)', 500",
    "'aligned(5/1s, margin=20ms, unanswered=1s)', 20"
  })
  void isNeverOverAndAsGoodAsFull(String limit, long marginMillis) {
    Seeds.forEach(
        20,
        random -> {
          long offset = random.nextLong(-marginMillis, marginMillis + 1) * MILLI;
          var world =
              new World(
                  limit,
                  random.nextBoolean() ? Long.signum(offset) * marginMillis * MILLI : offset,
                  false,
                  random);
          world.run(5_000);
          assertTrue(world.most() <= world.limit.max(), () -> "counted " + world.most());
          // Half a per cent is lost for seconds, and some last into the next window.
          assertTrue(world.used() > 0.85, () -> "used " + world.used());
        });
  }

  @Test
  void withoutTheMarginItIsOver() {
    var world =
        new World(
            "aligned(50/10s, margin=0s, unanswered=3s)",
            -50 * MILLI,
            false,
            new SplittableRandom(1));
    world.run(20_000);
    assertTrue(world.most() > 50);
  }

  /** The peer's clock is farther off than the margin says; after a few answers that is known. */
  @Test
  void followsAPeerWhoseClockIsOff() {
    Seeds.forEach(
        20,
        random -> {
          long offset = random.nextLong(-4 * SECOND, 4 * SECOND);
          var world = new World("aligned(300/1m, margin=1s, unanswered=5s)", offset, true, random);
          world.run(300);
          world.counts.clear();
          world.run(6_000);
          assertTrue(world.most() <= 300, () -> "counted " + world.most());
          assertTrue(world.used() > 0.95, () -> "used " + world.used());
        });
  }

  private static final class Clocks {
    long now;
    long set;

    Meter meter(String limit) {
      return Limits.parse(limit).newMeter(now, this::timeOfDay);
    }

    Instant timeOfDay() {
      return Play.BEGAN.plusNanos(now + set); // three seconds before a minute
    }
  }

  private final Clocks at = new Clocks();

  private static void teach(Clocks at, Meter meter, long peerAhead) {
    for (int i = 0; i < 16; i++) {
      Instant date = at.timeOfDay().plusNanos(peerAhead).truncatedTo(ChronoUnit.SECONDS);
      meter.dated(at.now, at.now, date);
      at.now += 250 * MILLI;
    }
  }

  @Test
  void restsWhenAllThatIsOpenOrLostIsOver() {
    Meter meter = at.meter("aligned(10/1m, margin=0s, unanswered=70s)");
    assertEquals(0, meter.restsIn(0));
    meter.release(0, 0, Cost.ONE);
    assertEquals(Meter.AT_EVENT, meter.restsIn(0));
    meter.end(0, 0, Cost.ONE, Outcome.ANSWERED);
    assertEquals(3 * SECOND, meter.restsIn(0));
    meter.release(0, 0, Cost.ONE);
    meter.end(0, 0, Cost.ONE, Outcome.LOST);
    assertEquals(123 * SECOND, meter.restsIn(0), "the window of the minute after the next");
  }

  private Meter change(String limit, Meter meter, String next) {
    return Changes.change(
        Limits.parse(limit), meter, Limits.parse(next), at.now, at::timeOfDay, List.of());
  }

  @Test
  void aLearnedClockOutlivesAChangeAndASlewButNoStep() {
    Meter meter = at.meter("aligned(10/1m, margin=10s)");
    teach(at, meter, 4 * SECOND); // so the minute has begun there
    at.now = 30 * SECOND;
    long[] slews = {0, 15 * MILLI};
    for (long slew : slews) {
      at.set = slew;
      meter = change("aligned(10/1m, margin=10s)", meter, "aligned(5/1m, margin=10s)");
      meter.release(at.now, at.now, Cost.of(5));
      meter.end(at.now, at.now, Cost.of(5), Outcome.NOT_SENT);
      meter.release(at.now, at.now, Cost.of(5));
      meter.end(at.now, at.now, Cost.of(5), Outcome.ANSWERED);
      long wait = meter.nanosUntil(at.now, at.now, Cost.ONE);
      assertTrue(wait < 31 * SECOND, "the next one begins at 59 s here, but waits " + wait);
      at.now = 89 * SECOND;
    }
    at.set = 30 * MILLI;
    at.now += 1;
    assertTrue(meter.nanosUntil(at.now, at.now, Cost.ONE) > 40 * SECOND, "set, not slewed");
  }

  @Test
  void requestsOfALimitOfStartsAreNotLostAsWell() {
    Meter meter = at.meter("10/1m & concurrent(10)");
    for (int i = 0; i < 4; i++) {
      meter.release(0, 0, Cost.ONE);
    }
    Meter next =
        Changes.change(
            Limits.parse("10/1m & concurrent(10)"),
            meter,
            Limits.parse("aligned(10/10s, margin=0s)"),
            0,
            at::timeOfDay,
            Collections.nCopies(4, new OpenRequest(0, Cost.ONE)));
    for (int i = 0; i < 4; i++) {
      next.end(0, 0, Cost.ONE, Outcome.ANSWERED);
    }
    assertTrue(next.nanosUntil(0, 0, Cost.of(7)) > 0);
    at.now = 3 * SECOND;
    assertEquals(0, next.nanosUntil(at.now, at.now, Cost.of(10)));
  }

  @Test
  void anInitialStateIsForgottenWhereThePastIsKnown() {
    Meter meter = at.meter("aligned(10/10s, margin=0s)");
    meter.release(0, 0, Cost.ONE);
    meter.end(0, 0, Cost.ONE, Outcome.ANSWERED);
    Meter next =
        change("aligned(10/10s, margin=0s)", meter, "aligned(10/10s, margin=0s, initial=spent)");
    assertEquals(0, next.nanosUntil(0, 0, Cost.of(9)));
    at.now = 3 * SECOND;
    assertEquals(0, next.nanosUntil(at.now, at.now, Cost.of(10)));
  }

  @Test
  void aRequestOfAnEarlierWindowIsNotChargedToThisOne() {
    Meter meter = at.meter("peer(10/1m, margin=0s)");
    meter.release(0, 0, Cost.of(4));
    meter.end(0, 0, Cost.of(4), Outcome.ANSWERED);
    at.now = 30 * SECOND;
    Meter next = change("peer(10/1m, margin=0s)", meter, "aligned(10/1m)");
    assertEquals(0, next.nanosUntil(at.now, at.now, Cost.of(10)));
  }

  @Test
  void aLargerMarginChargesWhatASmallerOneDidNot() {
    Meter meter = at.meter("aligned(10/1m, margin=1s)");
    meter.release(0, 0, Cost.of(4)); // three seconds before the minute
    meter.end(0, 0, Cost.of(4), Outcome.ANSWERED);
    at.now = 10 * SECOND;
    Meter next = change("aligned(10/1m, margin=1s)", meter, "aligned(10/1m, margin=5s)");
    assertTrue(next.nanosUntil(at.now, at.now, Cost.of(7)) > 0);
  }

  @Test
  void aSingleAnswerOutOfACacheIsNotBelieved() {
    var clock = new PeerClockEstimate(SECOND, 60 * SECOND);
    clock.learn(0, 0, 100 * MILLI, -30 * SECOND);
    assertEquals(SECOND, clock.most(0), "nothing is ruled out");
    assertTrue(clock.least(0) <= -30 * SECOND);
    clock.learn(0, 0, 100 * MILLI, 30 * SECOND);
    assertTrue(clock.least(0) <= -30 * SECOND, "nor what was said before");
    assertEquals(32 * SECOND + 10 * MILLI, clock.most(0));
  }

  @Test
  void anAnswerWasDatedAtAnyInstantSinceItsRequestStarted() {
    Meter meter = at.meter("aligned(10/1m, margin=10s)");
    for (int i = 0; i < 8; i++) {
      long start = at.now;
      at.now += 900 * MILLI;
      // So the peer is between 1.1 and 3 s ahead.
      meter.dated(start, at.now, Play.BEGAN.plusSeconds(i + 2));
      at.now += 100 * MILLI;
    }
    at.now = 60 * SECOND + SECOND / 2; // the minute begins in 2.5 s, or did half a second ago
    meter.release(at.now, at.now, Cost.of(10));
    meter.end(at.now, at.now, Cost.of(10), Outcome.ANSWERED);
    long wait = meter.nanosUntil(at.now, at.now, Cost.ONE);
    assertTrue(wait > 50 * SECOND, () -> "charged to both, but waits only " + wait);
  }

  @Test
  void manyAnswersThatAgreeAreBelievedAndThenLessAndLess() {
    var clock = new PeerClockEstimate(SECOND, 60 * SECOND);
    for (long i = 0; i < 8; i++) {
      long started = i * SECOND;
      clock.learn(0, started, started + 100 * MILLI, started - 30 * SECOND);
    }
    assertEquals(-30 * SECOND - 110 * MILLI, clock.least(0));
    assertEquals(-28 * SECOND + 10 * MILLI, clock.most(0));
    assertEquals(-27 * SECOND + 10 * MILLI, clock.most(1000 * SECOND));
    clock.forget();
    assertEquals(SECOND, clock.most(2000 * SECOND));
  }

  @Test
  void oneAnswerFromACacheIsNotBelievedHoweverOftenItComes() {
    var clock = new PeerClockEstimate(SECOND, 60 * SECOND);
    for (long i = 0; i < 1000; i++) {
      long started = i * 50 * MILLI;
      clock.learn(started, started, started + 10 * MILLI, -30 * SECOND);
      assertEquals(SECOND, clock.most(started));
    }
  }

  /** Some servers write the date anew once a second, whenever that second began. */
  @Test
  void aDateThatWasReadASecondAgoDoesNotDeceive() {
    var clock = new PeerClockEstimate(SECOND, 60 * SECOND);
    for (long i = 0; i < 100; i++) {
      long started = i * 370 * MILLI;
      long written = Math.floorDiv(started - 900 * MILLI, SECOND) * SECOND + 900 * MILLI;
      clock.learn(0, started, started + MILLI, Math.floorDiv(written, SECOND) * SECOND);
    }
    assertTrue(clock.least(0) <= 0 && clock.most(0) >= 0, () -> "up to " + clock.most(0));
  }

  private static PeerClockEstimate taught(long... ahead) {
    var clock = new PeerClockEstimate(10 * SECOND, 60 * SECOND);
    for (int i = 0; i < 16; i++) {
      long now = i * SECOND;
      clock.learn(now, now, now, now + ahead[i % ahead.length]);
    }
    return clock;
  }

  @Test
  void thePeersClockIsKnownFromAllAnswers() {
    PeerClockEstimate clock = taught(0, SECOND / 2);
    long now = 15 * SECOND;
    assertTrue(clock.least(now) > SECOND / 4, "as one was dated half a second ahead");
    assertTrue(clock.most(now) < 2 * SECOND + SECOND / 4);
    assertTrue(clock.least(now + 1000 * SECOND) < 0, "that was long ago");
  }

  @Test
  void anAnswerThatContradictsStartsAnew() {
    PeerClockEstimate clock = taught(0);
    long now = 16 * SECOND;
    clock.learn(now, now, now, now + 20 * SECOND);
    assertTrue(clock.least(now) <= 0 && clock.most(now) >= 20 * SECOND, "both may be right");
  }

  @Test
  void allMembersLearnTheTime() {
    Meter meter = at.meter("aligned(10/1m, margin=10s) & concurrent(10)");
    teach(at, meter, 4 * SECOND);
    at.now = 54 * SECOND; // nine seconds before the next minute, but 4 or 5 for all that is known
    meter.release(at.now, at.now, Cost.of(10));
    meter.end(at.now, at.now, Cost.of(10), Outcome.ANSWERED);
    long wait = meter.nanosUntil(at.now, at.now, Cost.ONE);
    assertTrue(wait < 30 * SECOND, () -> "not charged to both, but waits " + wait);
  }
}
