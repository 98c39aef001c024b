package dev.pacegate.engine;

import static dev.pacegate.engine.visit.Clock.FOREVER;

import dev.pacegate.engine.visit.Alarm;
import dev.pacegate.engine.visit.Clock;
import dev.pacegate.engine.visit.Visit;
import org.jspecify.annotations.Nullable;

/**
 * Watches over a crowd of threads that can go, in which each one that was called calls the next.
 * Guarded by the gate.
 *
 * <p>A thread that was called may come late, or never. If none comes for a millisecond, an alarm
 * calls the others, and the visit of that alarm repairs what an error has left undone.
 *
 * <p>The scheduler often runs a woken thread before its waker, and then those that it wakes. So the
 * first of a crowd wakes none: it leaves that to the alarm, and returns meanwhile. Any other wakes
 * first, and takes its permit when it runs again.
 */
final class HandOver {

  private static final long PATIENCE_NANOS = 1_000_000;

  private static final int MOST_DOUBLINGS = 10;

  /** What the first of a crowd needs to wake and to return, and some more. */
  private static final long HEAD_START_NANOS = 200_000;

  /** How many threads the alarm wakes before the timer's thread turns to other tasks. */
  private static final int PORTION = 64;

  private final Clock clock;
  private long movedAt; // when a thread was last called or came, or is to come by the clock
  private @Nullable Alarm alarm;
  private long ringsAt = FOREVER; // that alarm
  private int stalls; // consecutive alarms since a waiter last came

  HandOver(Clock clock, long now) {
    this.clock = clock;
    this.movedAt = now;
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
   */
  void goesOn(boolean rest, Visit visit) {
    if (rest && stalls > 0) {
      setAlarm(visit.now, visit);
    } else {
      setAlarm(Clock.later(movedAt, PATIENCE_NANOS << Math.min(stalls, MOST_DOUBLINGS)), visit);
    }
  }

  /**
   * Returns whether the alarm is about to ring: its visit calls two, as any does. Never by a clock
   * that may stand still.
   */
  boolean ringsSoon(long now) {
    return clock.isReal() && ringsAt - now <= HEAD_START_NANOS && !isLost(now);
  }

  /** Returns whether an error has ended the alarm. */
  private boolean isLost(long now) {
    return now - ringsAt > PATIENCE_NANOS;
  }

  /** Sets the alarm anew when it is next needed: it may not have been started. */
  void mistrust() {
    ringsAt = FOREVER;
  }

  private void setAlarm(long at, Visit visit) {
    if (at < ringsAt || isLost(visit.now)) {
      drop(visit);
      ringsAt = at;
      alarm = clock.alarm(at, this::rings);
      visit.startFirst(alarm);
    }
  }

  /** No caller waits any more. A left-over alarm would keep the limiter in memory. */
  void rests(Visit visit) {
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
    if (stalls > 0 || visit.now - movedAt >= PATIENCE_NANOS) {
      stalls++;
      movedAt = visit.now; // the next alarm comes later, not at once
      visit.callUpTo(PORTION);
    }
  }
}
