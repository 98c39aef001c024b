package dev.pacegate.engine;

import static dev.pacegate.engine.visit.Clock.FOREVER;

import dev.pacegate.engine.visit.Alarm;
import dev.pacegate.engine.visit.Clock;
import dev.pacegate.engine.visit.Visit;
import dev.pacegate.engine.visit.Visit.Sleeper;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Watches over a crowd of threads that can go, in which each one that was called calls the next.
 * Guarded by the gate.
 *
 * <p>A thread that was called may come late, or never. If none comes for a millisecond, an alarm
 * calls the others, and the visit of that alarm repairs what an error has left undone.
 *
 * <p>The scheduler often runs a woken thread before its waker, and then those that it wakes. So the
 * first of a crowd wakes none: it leaves that to the alarm, and returns meanwhile.
 */
final class HandOver {

  private static final long PATIENCE_NANOS = 1_000_000;

  private static final int MOST_DOUBLINGS = 10;

  /** What the first of a crowd needs to wake and to return, and some more. */
  private static final long HEAD_START_NANOS = 200_000;

  /** How many threads the alarm wakes before the timer's thread turns to other tasks. */
  private static final int PORTION = 64;

  private final Clock clock;
  private final List<Sleeper> postponed = new ArrayList<>(2); // called, and woken by the alarm
  private long movedAt; // when a thread was last called or came, or is to come by the clock
  private @Nullable Alarm alarm;
  private long ringsAt = FOREVER; // that alarm
  private int stalls; // consecutive alarms since a waiter last came

  HandOver(Clock clock) {
    this.clock = clock;
  }

  /** A thread has been called. */
  void called(long now) {
    movedAt = now;
  }

  /** A waiter has come, and has taken its permit or left. */
  void came(long now) {
    movedAt = now;
    stalls = 0;
  }

  /** No thread that was called is still to come. */
  void isDone() {
    stalls = 0;
  }

  /**
   * Sets the alarm for a crowd whose first waits until {@code wakesAt}. Setting it may wake the
   * timer's thread, for which the first has no time once it has its permit.
   */
  void awaits(long wakesAt, Visit visit) {
    if (clock.isReal() && wakesAt - visit.now > PATIENCE_NANOS) {
      movedAt = wakesAt;
      setAlarm(Clock.later(wakesAt, HEAD_START_NANOS), visit);
    }
  }

  /**
   * Sets the alarm if it would ring too late.
   *
   * @param rest whether more are to be called
   * @param postpones whether the caller is the first of a crowd, which the alarm wakes
   */
  void goesOn(boolean rest, boolean postpones, Visit visit) {
    if (postpones && clock.isReal()) {
      List<Sleeper> called = visit.handOver();
      postponed.addAll(called);
      setAlarm(Clock.later(visit.now, HEAD_START_NANOS), visit);
      visit.wakeIfNotStarted(called);
    } else if (rest && stalls > 0) {
      setAlarm(visit.now, visit);
    } else {
      setAlarm(Clock.later(movedAt, PATIENCE_NANOS << Math.min(stalls, MOST_DOUBLINGS)), visit);
    }
  }

  private void setAlarm(long at, Visit visit) {
    boolean lost = visit.now - ringsAt > PATIENCE_NANOS; // an error has ended the last one
    if (at < ringsAt || lost) {
      drop(visit);
      ringsAt = at;
      alarm = clock.alarm(at, this::rings);
      visit.startFirst(alarm);
    }
  }

  /** No caller waits any more. A left-over alarm would keep the limiter in memory. */
  void rests(Visit visit) {
    postponed.clear();
    drop(visit);
  }

  private void drop(Visit visit) {
    if (alarm != null) {
      visit.cancel(alarm);
      alarm = null;
    }
    ringsAt = FOREVER;
  }

  private void rings(Alarm rung, Visit visit) {
    if (rung != alarm) {
      return;
    }
    alarm = null;
    ringsAt = FOREVER;
    if (!postponed.isEmpty()) {
      postponed.forEach(visit::wake);
      postponed.clear();
      visit.callUpTo(0);
    } else if (stalls > 0 || visit.now - movedAt >= PATIENCE_NANOS) {
      stalls++;
      movedAt = visit.now; // the next alarm comes later, not at once
      visit.callUpTo(PORTION);
    }
  }
}
