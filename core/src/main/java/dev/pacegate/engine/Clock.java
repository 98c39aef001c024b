package dev.pacegate.engine;

import dev.pacegate.time.Time;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/**
 * The time of one limiter: instants are nanoseconds since it was made, so none is negative.
 * Thread-safe.
 */
public final class Clock {

  /** An instant that does not come, and a wait that does not end. */
  public static final long FOREVER = Long.MAX_VALUE;

  private final Time time;
  private final long origin;
  private final Visits visits;

  /** Where alarms make their visits. Called outside the gate. */
  interface Visits {

    /** Enters the gate, does {@code step}, and calls the waiters that can go then. */
    void ring(Consumer<Visit> step);
  }

  /** Makes a clock of a limiter made at {@code origin}. */
  Clock(Time time, long origin, Visits visits) {
    this.time = time;
    this.origin = origin;
    this.visits = visits;
  }

  /** Returns this instant. */
  long now() {
    return time.nanoTime() - origin;
  }

  /** Returns an instant as the limiter's {@link Time} has it. */
  long reading(long instant) {
    return origin + instant;
  }

  /** Returns the instant {@code span} after {@code instant}. */
  static long later(long instant, long span) {
    long sum = instant + span;
    return sum < 0 ? FOREVER : sum;
  }

  /** Returns an alarm that is a visit; it has still to be started. */
  Alarm alarm(long instant, BiConsumer<Alarm, Visit> task) {
    return outside(instant, rung -> visits.ring(visit -> task.accept(rung, visit)));
  }

  /** Returns an alarm whose task runs outside the gate; it has still to be started. */
  Alarm outside(long instant, Consumer<Alarm> task) {
    return new Alarm(time, reading(instant), task);
  }
}
