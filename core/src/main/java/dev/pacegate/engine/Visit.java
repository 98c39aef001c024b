package dev.pacegate.engine;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * What a visit to the gate leaves to be done outside it: threads to wake, alarms to set, futures to
 * complete, listeners to tell. Collected inside, carried out after leaving.
 */
final class Visit {

  /** The instant of the visit, since the limiter's origin. */
  final long now;

  /** The waiter on whose behalf the visit is made: it is awake, and told by the visit's answer. */
  @Nullable Waiter awake;

  /** Where the visit is made. */
  final EngineState desk;

  private final Engine admission;
  private final List<Runnable> actions = new ArrayList<>(2);
  private @Nullable List<Thread> parked;
  private boolean drain;
  private boolean drainHere;

  Visit(Engine admission, EngineState desk, long now) {
    this.admission = admission;
    this.desk = desk;
    this.now = now;
  }

  void unpark(Thread thread) {
    if (parked == null) {
      parked = new ArrayList<>(4);
    }
    parked.add(thread);
  }

  void start(Alarm alarm) {
    add(alarm::start);
  }

  void cancel(Alarm alarm) {
    add(alarm::cancel);
  }

  /** Has a thread of {@code executor} come for the permit of {@code waiter}, or its refusal. */
  void claim(FutureWaiter waiter, Executor executor) {
    add(() -> admission.handOver(executor, () -> admission.claim(waiter)));
  }

  /** Has the futures completed that are up for it. */
  void drain() {
    drain = true;
  }

  /** Lets this very thread do so: it is one of the limiter's executor. */
  void drainHere() {
    drainHere = true;
  }

  void add(Runnable action) {
    actions.add(action);
  }

  /** Carries everything out. To be called outside the gate. */
  void perform() {
    if (parked != null) {
      parked.forEach(LockSupport::unpark);
    }
    for (Runnable action : actions) {
      admission.perform(action);
    }
    if (drain && drainHere) {
      admission.drain();
    } else if (drain) {
      admission.startDraining();
    }
  }
}
