package dev.pacegate.engine.visit;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One stay inside the gate: its instant, and its actions for outside (threads to wake, alarms to
 * set, listeners to call). Actions are collected inside and run after leaving.
 */
public final class Visit {

  /** Runs one action and catches its failure. */
  public interface Performer {
    void perform(Runnable action);
  }

  /** A waiter that sleeps outside the gate and looks again when woken. */
  public interface Sleeper extends Runnable {
    void wake();

    @Override
    default void run() {
      wake();
    }
  }

  /**
   * How many waiting threads one visit calls. Waking a thread takes 5 to 50 microseconds, which the
   * caller spends between its own stamp and its request; each thread called calls as many in turn.
   */
  private static final int CALLS = 2;

  /** The instant of the visit. */
  public final long now;

  private final List<Runnable> actions = new ArrayList<>(2);
  private @Nullable List<Sleeper> asleep;
  private @Nullable Alarm guard;
  private @Nullable Runnable last;
  private int callsLeft = CALLS;
  private boolean called;

  /** The waiter on whose behalf the visit is made, if any. */
  public @Nullable Object caller;

  /** Whether its caller goes on with a permit, and leaves it to others to wake the rest. */
  public boolean hurries;

  /** Whether its caller may leave to wake others, and come back for its permit. */
  public boolean mayComeBack;

  /** Whether a thread of the limiter's executor makes it, which may complete futures itself. */
  public boolean onExecutor;

  public Visit(long now) {
    this.now = now;
  }

  /**
   * Returns whether this visit calls another thread, or leaves it to those that have been called.
   *
   * @param othersCome whether one that was called is to come, or an alarm is to call them
   */
  public boolean callsAnother(boolean othersCome) {
    boolean calls = !(hurries && othersCome) && --callsLeft >= 0;
    called |= calls;
    return calls;
  }

  /** Returns whether it has called another thread, so far. */
  public boolean hasCalled() {
    return called;
  }

  /** Makes this visit call so many threads at most. */
  public void callUpTo(int most) {
    callsLeft = most;
  }

  /**
   * Wakes {@code waiter}, unless this is its own visit, whose result it gets anyway. A thread may
   * make other visits before it parks, and those must wake it.
   */
  public void wake(Sleeper waiter) {
    if (waiter == caller) {
      return;
    }
    if (asleep == null) {
      asleep = new ArrayList<>(4);
    }
    asleep.add(waiter);
  }

  /** Starts an alarm before any thread is woken, as that may fail. */
  public void startFirst(Alarm alarm) {
    guard = alarm;
  }

  public void start(Alarm alarm) {
    add(alarm::start);
  }

  public void cancel(Alarm alarm) {
    add(alarm::cancel);
  }

  public void add(Runnable action) {
    actions.add(action);
  }

  /** Adds an action to run after all others: it may run user code and take long. */
  public void addLast(Runnable action) {
    last = action;
  }

  /** Runs all actions, sleepers first, whichever of them fail. Call it outside the gate. */
  public void leave(Performer performer) {
    if (guard != null) {
      performer.perform(guard::start);
    }
    if (asleep != null) {
      for (Sleeper sleeper : asleep) {
        performer.perform(sleeper);
      }
    }
    for (Runnable action : actions) {
      performer.perform(action);
    }
    if (last != null) {
      performer.perform(last);
    }
  }
}
