package dev.pacegate.time;

/**
 * A monotonic clock.
 *
 * <p>Readings are nanoseconds from an arbitrary origin, possibly negative; only their differences
 * mean anything, and those are right across an overflow. A clock may stand still; a reading that
 * steps back is tolerated wherever Pacegate takes one.
 */
@FunctionalInterface
public interface NanoClock {

  /** Returns the present instant in nanoseconds. */
  long nanoTime();
}
