package dev.pacegate.limit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
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
  private record Sent(long start, long end, End how) {}

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
      this.limit = (Aligned) Limit.parse(limit);
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
      open.add(new Sent(now, known, lost ? End.LOST : End.ANSWERED));
    }

    private void end(Sent sent) {
      now = Math.max(now, sent.end);
      if (dates && sent.how == End.ANSWERED) {
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

  @Test
  void aSingleAnswerOutOfACacheIsNotBelieved() {
    var clock = new PeerClock(SECOND, 60 * SECOND);
    clock.learn(0, 0, 100 * MILLI, -30 * SECOND);
    assertEquals(SECOND, clock.most(0), "nothing is ruled out");
    assertTrue(clock.least(0) <= -30 * SECOND);
  }

  @Test
  void manyAnswersThatAgreeAreBelievedAndThenLessAndLess() {
    var clock = new PeerClock(SECOND, 60 * SECOND);
    for (int i = 0; i < 8; i++) {
      clock.learn(0, 0, 100 * MILLI, -30 * SECOND);
    }
    assertEquals(-30 * SECOND - 100 * MILLI, clock.least(0));
    assertEquals(-29 * SECOND, clock.most(0));
    assertEquals(-29 * SECOND + SECOND, clock.most(2000 * SECOND));
    clock.forget();
    assertEquals(SECOND, clock.most(2000 * SECOND));
  }
}
