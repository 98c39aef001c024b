package dev.pacegate.time;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TimerWheelTest {

  private static final long SEED = Long.getLong("seed", 3);
  private static final long YEAR = 365L * 86_400_000_000_000L;

  private static List<String> due(TimerWheel<String> wheel, long now) {
    var due = new ArrayList<String>();
    wheel.expire(now, due::add);
    return due;
  }

  @Test
  void handsOutAtTheDeadlineAndNotANanosecondBefore() {
    var wheel = new TimerWheel<String>(0);
    for (long deadline = 1; deadline > 0 && deadline < Long.MAX_VALUE / 3; deadline *= 3) {
      wheel.add(deadline, "at " + deadline);
      assertEquals(deadline, wheel.nanosUntilNext(0));
      wheel.expire(0, late -> {});
      wheel.drain(task -> {});
    }
    wheel.add(1_000_000, "a");
    assertEquals(List.of(), due(wheel, 999_999));
    assertEquals(1, wheel.nanosUntilNext(999_999));
    assertEquals(List.of("a"), due(wheel, 1_000_000));
    assertEquals(0, wheel.size());
  }

  @Test
  void whatIsPastIsDueAtOnce() {
    var wheel = new TimerWheel<String>(1000);
    wheel.add(-5, "before the wheel was made");
    wheel.add(1000, "now");
    assertEquals(0, wheel.nanosUntilNext(1000));
    assertEquals(2, due(wheel, 1000).size());
  }

  @Test
  void aCancelledEntryIsForgottenAtOnce() {
    var wheel = new TimerWheel<String>(0);
    var entry = wheel.add(5 * YEAR, "never");
    assertTrue(entry.cancel());
    assertFalse(entry.cancel());
    assertEquals(0, wheel.size());
    assertEquals(Long.MAX_VALUE, wheel.nanosUntilNext(0));
    assertEquals(List.of(), due(wheel, 6 * YEAR));
  }

  @Test
  void anEntryThatHasBeenHandedOutCannotBeCancelled() {
    var wheel = new TimerWheel<String>(0);
    var entry = wheel.add(7, "a");
    assertEquals(List.of("a"), due(wheel, 7));
    assertFalse(entry.cancel());
  }

  @Test
  void aLongPauseHandsOutEverythingOnce() {
    var wheel = new TimerWheel<String>(0);
    for (int i = 0; i < 1000; i++) {
      wheel.add(i * 1_000_003L, "task " + i);
    }
    assertEquals(1000, due(wheel, 100 * YEAR).size());
    assertEquals(0, wheel.size());
  }

  @Test
  void aClockThatStepsBackHandsOutNothingEarly() {
    var wheel = new TimerWheel<String>(0);
    assertEquals(List.of(), due(wheel, 1_000_000_000));
    wheel.add(1_500_000_000, "a");
    assertEquals(List.of(), due(wheel, 500_000_000));
    assertEquals(List.of(), due(wheel, 1_499_999_999));
    assertEquals(List.of("a"), due(wheel, 1_500_000_000));
  }

  /** A million additions, cancellations and moves of the clock, beside a plain priority queue. */
  @ParameterizedTest
  @ValueSource(longs = {Long.MIN_VALUE, -1, 0, Long.MAX_VALUE - 5})
  void equalsAPriorityQueue(long origin) {
    var random = new Random(SEED);
    var wheel = new TimerWheel<Expected>(origin);
    var queue = new PriorityQueue<Expected>();
    var entries = new ArrayList<TimerWheel.Entry<Expected>>();
    var live = new ArrayList<Expected>();
    long now = 0;
    for (int step = 0; step < 250_000; step++) {
      double what = random.nextDouble();
      if (what < 0.5) {
        var task = new Expected(now + distance(random) - 1000);
        queue.add(task);
        live.add(task);
        entries.add(wheel.add(origin + task.deadline, task));
      } else if (what < 0.7 && !live.isEmpty()) {
        int victim = random.nextInt(live.size());
        Expected task = live.get(victim);
        assertEquals(!task.gone, entries.get(victim).cancel(), () -> "seed " + SEED);
        task.gone = true;
        removeAt(live, victim);
        removeAt(entries, victim);
      } else {
        now += random.nextInt(3) == 0 ? distance(random) : random.nextInt(100_000);
        expire(wheel, queue, origin, now);
      }
      if (now > 200 * YEAR) {
        break;
      }
    }
  }

  private static void expire(
      TimerWheel<Expected> wheel, PriorityQueue<Expected> queue, long origin, long now) {
    Set<Expected> expected = new HashSet<>();
    while (!queue.isEmpty() && (queue.peek().gone || queue.peek().deadline <= now)) {
      Expected first = queue.poll();
      if (!first.gone) {
        expected.add(first);
      }
    }
    Set<Expected> handedOut = new HashSet<>();
    wheel.expire(origin + now, task -> assertTrue(handedOut.add(task), "handed out twice"));
    assertEquals(expected, handedOut, () -> "seed " + SEED);
    handedOut.forEach(task -> task.gone = true);
    long next = queue.isEmpty() ? Long.MAX_VALUE : queue.peek().deadline - now;
    assertTrue(wheel.nanosUntilNext(origin + now) <= next, () -> "too long, seed " + SEED);
  }

  /** Mostly short, sometimes years. */
  private static long distance(Random random) {
    return (long) Math.exp(random.nextDouble() * (random.nextInt(1000) == 0 ? 38 : 22));
  }

  private static <T> void removeAt(List<T> list, int index) {
    T last = list.remove(list.size() - 1);
    if (index < list.size()) {
      list.set(index, last);
    }
  }

  private static final class Expected implements Comparable<Expected> {
    final long deadline;
    boolean gone;

    Expected(long deadline) {
      this.deadline = deadline;
    }

    @Override
    public int compareTo(Expected other) {
      return Long.compare(deadline, other.deadline);
    }
  }
}
