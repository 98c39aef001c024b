package dev.pacegate.engine;

import dev.pacegate.engine.Waiter.State;
import dev.pacegate.engine.visit.Alarm;
import dev.pacegate.engine.visit.Clock;
import dev.pacegate.engine.visit.Visit;
import java.util.ArrayDeque;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Called futures whose own executor has not come yet, and those given up after a millisecond.
 * Guarded by the gate.
 *
 * <p>An executor may be busy for long, or be shut down and drop its tasks. A late future holds up
 * no other waiter. If its thread comes after all, it takes a permit if one is available at once;
 * otherwise the future returns to its place in the queue.
 */
final class NoShows {

  private static final long PATIENCE_NANOS = 1_000_000;

  private final Clock clock;
  private final BiConsumer<Alarm, Visit> search;
  private final ArrayDeque<FutureWaiter> sentFor = new ArrayDeque<>(1); // in the order of the calls
  private final Set<FutureWaiter> late = new LinkedHashSet<>();
  private @Nullable Alarm alarm;

  /**
   * @param search called when the alarm rings: looks for futures that were not collected in time
   */
  NoShows(Clock clock, BiConsumer<Alarm, Visit> search) {
    this.clock = clock;
    this.search = search;
  }

  int size() {
    return late.size();
  }

  Set<FutureWaiter> late() {
    return late;
  }

  /** A thread has been sent to {@code waiter}. */
  void sentFor(FutureWaiter waiter, Visit visit) {
    waiter.calledAt = visit.now;
    sentFor.add(waiter);
    setAlarm(waiter, visit);
  }

  private void setAlarm(FutureWaiter first, Visit visit) {
    if (alarm == null) {
      long instant = Clock.later(first.calledAt, PATIENCE_NANOS);
      alarm = clock.alarm(instant, search);
      visit.start(alarm);
    }
  }

  /** A thread has come, or a future left: perhaps no thread is expected any more. */
  void dropIdleAlarm(Visit visit) {
    if (first() == null && alarm != null) {
      visit.cancel(alarm);
      alarm = null;
    }
  }

  void rings(Alarm rung, Visit visit) {
    if (rung == alarm) {
      alarm = null;
      FutureWaiter first = first();
      if (first != null) {
        setAlarm(first, visit);
      }
    }
  }

  /** Returns the late future that was called first and is not known as late yet. */
  @Nullable FutureWaiter next(long now) {
    FutureWaiter first = first();
    return first == null || now - first.calledAt < PATIENCE_NANOS ? null : first;
  }

  private @Nullable FutureWaiter first() {
    FutureWaiter first = sentFor.peek();
    while (first != null && first.state != State.CALLED) {
      sentFor.remove();
      first = sentFor.peek();
    }
    return first;
  }

  void add(FutureWaiter waiter) {
    assert waiter.state == State.GONE : waiter.state;
    late.add(waiter);
    waiter.lane.late++; // keeps the lane from being dropped
    waiter.state = State.LATE;
  }

  void remove(Waiter waiter) {
    if (waiter instanceof FutureWaiter future && late.remove(future)) {
      assert waiter.lane.late > 0 : "no waiter of its lane is late";
      waiter.lane.late--;
      waiter.state = State.GONE;
    }
  }
}
