package dev.pacegate.pekko;

import static java.util.Objects.requireNonNull;

import dev.pacegate.dispatch.Overflow;
import dev.pacegate.limit.Limit;
import dev.pacegate.limit.Measure;
import dev.pacegate.limit.Promise;
import dev.pacegate.time.Durations;
import dev.pacegate.time.Time;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The options of a throttling actor: an immutable value.
 *
 * @param capacity how many messages may be queued; default: 1000
 * @param overflow what happens if the queue is full; default: the new message is dropped. It must
 *     be a policy that drops, as an actor neither waits nor replies
 * @param time the clock and the timer of a limiter that the actor creates; default: the system's
 * @param replies within what time the target replies to each message, see {@link #withReplies};
 *     null, the default, if it need not
 */
public record ThrottlerOptions(
    int capacity, Overflow overflow, Time time, @Nullable Duration replies) {

  private static final Duration SHORTEST_REPLY = Duration.ofMillis(1);
  private static final Duration LONGEST_REPLY = Duration.ofDays(100);

  /** The defaults. */
  public static final ThrottlerOptions DEFAULT =
      new ThrottlerOptions(1000, Overflow.DROP_NEWEST, Time.system(), null);

  /**
   * Checks the ranges.
   *
   * @throws IllegalArgumentException if {@code capacity} is not positive, {@code overflow} does not
   *     drop, or {@code replies} is not from 1 ms to 100 days
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
    if (replies != null
        && (replies.compareTo(SHORTEST_REPLY) < 0 || replies.compareTo(LONGEST_REPLY) > 0)) {
      throw new IllegalArgumentException(
          "replies must come within 1ms to 100d: " + Durations.decimal(replies));
    }
  }

  /** Returns these options with another capacity. */
  public ThrottlerOptions withCapacity(int capacity) {
    return new ThrottlerOptions(capacity, overflow, time, replies);
  }

  /** Returns these options with another overflow policy. */
  public ThrottlerOptions withOverflow(Overflow overflow) {
    return new ThrottlerOptions(capacity, overflow, time, replies);
  }

  /** Returns these options with another clock and timer. */
  public ThrottlerOptions withTime(Time time) {
    return new ThrottlerOptions(capacity, overflow, time, replies);
  }

  /**
   * Returns these options with a target that replies to each message: the permit of a message ends
   * with the first reply. So the actor keeps limits that count until the answer is in, such as
   * {@code peer(10/1s)} and {@code concurrent(4)}; without replies it refuses them.
   *
   * <p>A reply that is a {@link org.apache.pekko.actor.Status.Failure} or an error of {@link
   * org.apache.pekko.pattern.StatusReply} ends the permit as its exception is classified ({@link
   * dev.pacegate.FailureClassifier}); an error in words, as {@code StatusReply.error("no such
   * number")}, is an answer. If no reply comes within that time, or the target terminates before,
   * the permit ends as {@linkplain dev.pacegate.Permit#lost lost}. An actor that has stopped no
   * longer watches its target: its open permits end with their replies, or else as lost when that
   * time is over.
   *
   * @param within from 1 ms to 100 days
   */
  public ThrottlerOptions withReplies(Duration within) {
    return new ThrottlerOptions(capacity, overflow, time, requireNonNull(within));
  }

  /**
   * Refuses a limit that an actor with these options cannot keep.
   *
   * @throws IllegalArgumentException if it counts until the answer is in, and there are no replies;
   *     or if it limits a named cost, which no message has
   */
  void check(Limit limit) {
    for (Promise promise : limit.promises()) {
      if (promise.of().entry() == Measure.Entry.NAMED) {
        throw new IllegalArgumentException(
            "no message has a cost of "
                + promise.of().name()
                + ": "
                + limit
                + " cannot be kept by an actor");
      }
    }
    if (replies == null && limit.countsWhole()) {
      throw new IllegalArgumentException(
          limit
              + " counts a message until it is answered, but without replies a permit ends when its"
              + " message has been sent: use ThrottlerOptions.withReplies, or a limit of starts such"
              + " as 10/1s");
    }
  }
}
