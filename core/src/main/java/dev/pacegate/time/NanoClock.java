package dev.pacegate.time;

/**
 * A monotonic clock.
 *
 * <p>Readings are nanoseconds from an arbitrary origin, possibly negative. Only their differences
 * have a meaning, and those are right across an overflow. A clock may stand still; Pacegate
 * tolerates a reading that steps back.
 */
@FunctionalInterface
public interface NanoClock {

  /** Returns the present instant in nanoseconds. */
  long nanoTime();
}
