package dev.pacegate.engine.visit;

import dev.pacegate.time.Time;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/**
 * The clock of one limiter: instants are nanoseconds since the limiter was made, so none is
 * negative. Thread-safe.
 */
public final class Clock {

  /** An instant that never comes, and a wait without end. */
  public static final long FOREVER = Long.MAX_VALUE;

  private final Time time;
  private final long origin;
  private final Visits visits;

  /** Runs steps of alarms inside the gate. Called outside it. */
  public interface Visits {

    /** Enters the gate, does {@code step}, and calls the waiters that can go then. */
    void run(Consumer<Visit> step);
  }

  /** Creates the clock of a limiter made at {@code origin}. */
  public Clock(Time time, long origin, Visits visits) {
    this.time = time;
    this.origin = origin;
    this.visits = visits;
  }

  /** Returns whether it is this machine's, and goes on by itself. */
  public boolean isReal() {
    return time == Time.system();
  }

  /** Returns this instant. */
  public long now() {
    return time.nanoTime() - origin;
  }

  /** Returns an instant in nanoseconds of the limiter's {@link Time}. */
  public long reading(long instant) {
    return origin + instant;
  }

  /** Returns the instant {@code span} after {@code instant}. */
  public static long later(long instant, long span) {
    long sum = instant + span;
    return sum < 0 ? FOREVER : sum;
  }

  /** Returns an alarm whose task is a visit; the caller must start it. */
  public Alarm alarm(long instant, BiConsumer<Alarm, Visit> task) {
    return outside(instant, rung -> visits.run(visit -> task.accept(rung, visit)));
  }

  /** Returns an alarm whose task runs outside the gate; the caller must start it. */
  public Alarm outside(long instant, Consumer<Alarm> task) {
    return new Alarm(time, reading(instant), task);
  }
}
