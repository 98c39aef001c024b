package dev.pacegate.pekko;

import static java.util.Objects.requireNonNull;

import dev.pacegate.dispatch.Overflow;
import dev.pacegate.time.Time;

/**
 * The options of a throttling actor: an immutable value.
 *
 * @param capacity how many messages may be queued; default: 1000
 * @param overflow what happens if the queue is full; default: the new message is dropped. It must
 *     be a policy that drops, as an actor neither waits nor replies
 * @param time the clock and the timer of a limiter that the actor creates; default: the system's
 */
public record ThrottlerOptions(int capacity, Overflow overflow, Time time) {

  /** The defaults. */
  public static final ThrottlerOptions DEFAULT =
      new ThrottlerOptions(1000, Overflow.DROP_NEWEST, Time.system());

  /**
   * Checks the ranges.
   *
   * @throws IllegalArgumentException if {@code capacity} is not positive, or {@code overflow} does
   *     not drop
   */
  public ThrottlerOptions {
    if (capacity < 1) {
      throw new IllegalArgumentException("capacity must be at least 1: " + capacity);
    }
    if (overflow == Overflow.BLOCK || overflow == Overflow.REJECT) {
      throw new IllegalArgumentException(
          "overflow of an actor must be DROP_NEWEST, DROP_OLDEST or KEEP_LATEST: " + overflow);
    }
    requireNonNull(overflow);
    requireNonNull(time);
  }

  /** Returns these options with another capacity. */
  public ThrottlerOptions withCapacity(int capacity) {
    return new ThrottlerOptions(capacity, overflow, time);
  }

  /** Returns these options with another overflow policy. */
  public ThrottlerOptions withOverflow(Overflow overflow) {
    return new ThrottlerOptions(capacity, overflow, time);
  }

  /** Returns these options with another clock and timer. */
  public ThrottlerOptions withTime(Time time) {
    return new ThrottlerOptions(capacity, overflow, time);
  }
}
