package dev.pacegate.time;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TimerWheelTest {

  private static final long SEED = Long.getLong("pacegate.seed", 3);
  private static final long YEAR = 365L * 86_400_000_000_000L;

  private static List<String> due(TimerWheel<String> wheel, long now) {
    var due = new ArrayList<String>();
    Wheels.expire(wheel, now, due::add);
    return due;
  }

  @Test
  void handsOutAtTheDeadlineAndNotANanosecondBefore() {
    var wheel = new TimerWheel<String>(0);
    for (long deadline = 1; deadline > 0 && deadline < Long.MAX_VALUE / 3; deadline *= 3) {
      Wheels.add(wheel, deadline, "at " + deadline);
      assertEquals(deadline, wheel.nanosUntilNext(0));
      Wheels.expire(wheel, 0, late -> {});
      wheel.drain(task -> {});
    }
    Wheels.add(wheel, 1_000_000, "a");
    assertEquals(List.of(), due(wheel, 999_999));
    assertEquals(1, wheel.nanosUntilNext(999_999));
    assertEquals(List.of("a"), due(wheel, 1_000_000));
    assertEquals(0, wheel.size());
  }

  @Test
  void aPastDeadlineIsDueAtOnce() {
    var wheel = new TimerWheel<String>(1000);
    Wheels.add(wheel, -5, "before the wheel was made");
    Wheels.add(wheel, 1000, "now");
    assertEquals(0, wheel.nanosUntilNext(1000));
    assertEquals(2, due(wheel, 1000).size());
  }

  @Test
  void aCancelledEntryIsForgottenAtOnce() {
    var wheel = new TimerWheel<String>(0);
    var entry = Wheels.add(wheel, 5 * YEAR, "never");
    assertTrue(entry.cancel());
    assertFalse(entry.cancel());
    assertEquals(0, wheel.size());
    assertEquals(Long.MAX_VALUE, wheel.nanosUntilNext(0));
    assertEquals(List.of(), due(wheel, 6 * YEAR));
  }

  @Test
  void anEntryThatHasBeenHandedOutCannotBeCancelled() {
    var wheel = new TimerWheel<String>(0);
    var entry = Wheels.add(wheel, 7, "a");
    assertEquals(List.of("a"), due(wheel, 7));
    assertFalse(entry.cancel());
  }

  @Test
  void aLongPauseHandsOutEverythingOnce() {
    var wheel = new TimerWheel<String>(0);
    for (int i = 0; i < 1000; i++) {
      Wheels.add(wheel, i * 1_000_003L, "task " + i);
    }
    assertEquals(1000, due(wheel, 100 * YEAR).size());
    assertEquals(0, wheel.size());
  }

  @Test
  void aClockThatStepsBackHandsOutNothingEarly() {
    var wheel = new TimerWheel<String>(0);
    assertEquals(List.of(), due(wheel, 1_000_000_000));
    Wheels.add(wheel, 1_500_000_000, "a");
    assertEquals(List.of(), due(wheel, 500_000_000));
    assertEquals(List.of(), due(wheel, 1_499_999_999));
    assertEquals(List.of("a"), due(wheel, 1_500_000_000));
  }

  /** Late it would be otherwise, by as much as the clock stepped back. */
  @Test
  void aDeadlineAddedWhileTheClockIsBackIsKeptExactly() {
    var wheel = new TimerWheel<String>(0);
    due(wheel, 1_000_000_000);
    Wheels.add(wheel, 600_000_000, "a");
    assertEquals(100_000_000, wheel.nanosUntilNext(500_000_000));
    assertEquals(List.of(), due(wheel, 599_999_999));
    assertEquals(List.of("a"), due(wheel, 600_000_000));
  }

  @Test
  void aClockThatStepsBehindTheOriginDoesNotHurry() {
    var wheel = new TimerWheel<String>(0);
    Wheels.add(wheel, Long.MAX_VALUE, "a");
    assertEquals(Long.MAX_VALUE, wheel.nanosUntilNext(-5));
    assertEquals(List.of(), due(wheel, -5));
  }

  @Test
  void ofOneDeadlineTheFirstAddedIsTheFirstHandedOut() {
    var wheel = new TimerWheel<String>(0);
    long hour = 3_600_000_000_000L;
    Wheels.add(wheel, hour, "a");
    due(wheel, hour - 1_000_000_000);
    Wheels.add(wheel, hour, "b");
    due(wheel, hour - 1);
    Wheels.add(wheel, hour, "c");
    assertEquals(List.of("a", "b", "c"), due(wheel, hour + 1));
  }

  @Test
  void handsOutOneByOneWhatMayBeCancelledUntilThen() {
    var wheel = new TimerWheel<String>(0);
    Wheels.add(wheel, 5, "a");
    var second = Wheels.add(wheel, 5, "b");
    Wheels.add(wheel, 5, "c");
    assertNull(wheel.poll(4));
    assertEquals("a", wheel.poll(5));
    assertEquals(0, wheel.nanosUntilNext(5));
    assertTrue(second.cancel());
    assertEquals("c", wheel.poll(5));
    assertNull(wheel.poll(5));
    assertEquals(0, wheel.size());
  }

  @Test
  void theSinkMayCancelWhatIsDueWithIt() {
    var wheel = new TimerWheel<String>(0);
    var entries = new ArrayList<TimerWheel.Entry<String>>();
    for (String name : List.of("a", "b", "c", "d")) {
      entries.add(Wheels.add(wheel, 7, name));
    }
    var handedOut = new ArrayList<String>();
    Wheels.expire(
        wheel,
        7,
        task -> {
          handedOut.add(task);
          assertEquals(task.equals("a"), entries.get(1).cancel());
        });
    assertEquals(List.of("a", "c", "d"), handedOut);
    assertEquals(0, wheel.size());
  }

  @Test
  void aDueEntryAddedInBetweenComesAtOnce() {
    var wheel = new TimerWheel<String>(0);
    Wheels.add(wheel, 7, "a");
    assertEquals("a", wheel.poll(7));
    Wheels.add(wheel, 3, "late");
    Wheels.add(wheel, 9, "soon");
    assertEquals(2, wheel.size());
    assertEquals(0, wheel.nanosUntilNext(7));
    assertEquals(List.of("late"), due(wheel, 7));
    assertEquals(2, wheel.nanosUntilNext(7));
    assertEquals(List.of("soon"), due(wheel, 9));
  }

  @Test
  void theSinkMayExpireAndDrain() {
    var wheel = new TimerWheel<String>(0);
    for (int i = 0; i < 4; i++) {
      Wheels.add(wheel, i, "task " + i);
    }
    Wheels.add(wheel, YEAR, "far");
    var handedOut = new ArrayList<String>();
    Wheels.expire(
        wheel,
        2,
        task -> {
          handedOut.add(task);
          handedOut.addAll(due(wheel, 3));
          wheel.drain(handedOut::add);
        });
    assertEquals(List.of("task 0", "task 1", "task 2", "task 3", "far"), handedOut);
    assertEquals(0, wheel.size());
  }

  @Test
  void aThrowingSinkLosesOnlyTheEntryItSaw() {
    var wheel = new TimerWheel<String>(0);
    Wheels.add(wheel, 7, "a");
    Wheels.add(wheel, 7, "b");
    Wheels.add(wheel, 8, "c");
    assertThrows(
        IllegalStateException.class,
        () ->
            Wheels.expire(
                wheel,
                7,
                task -> {
                  throw new IllegalStateException();
                }));
    assertEquals(0, wheel.nanosUntilNext(7));
    assertEquals(List.of("b"), due(wheel, 7));
    assertEquals(1, wheel.nanosUntilNext(7));
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
        long deadline = now + distance(random) - 1000;
        if (random.nextInt(4) == 0) {
          deadline &= -1L << random.nextInt(30); // so that several are the same
        }
        var task = new Expected(deadline, step);
        queue.add(task);
        live.add(task);
        entries.add(Wheels.add(wheel, origin + task.deadline, task));
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
    }
    assertTrue(now < 200 * YEAR, "the clock must not wrap");
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
    Map<Long, Integer> latest = new HashMap<>();
    Wheels.expire(
        wheel,
        origin + now,
        task -> {
          assertTrue(handedOut.add(task), () -> "handed out twice, seed " + SEED);
          Integer before = latest.put(task.deadline, task.number);
          assertTrue(before == null || before < task.number, () -> "order, seed " + SEED);
        });
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
    final int number;
    boolean gone;

    Expected(long deadline, int number) {
      this.deadline = deadline;
      this.number = number;
    }

    @Override
    public int compareTo(Expected other) {
      return Long.compare(deadline, other.deadline);
    }
  }
}
