package dev.pacegate.limit.spi;

import dev.pacegate.limit.Cost;
import dev.pacegate.limit.Limit;
import dev.pacegate.limit.Margin;
import dev.pacegate.limit.Outcome;
import dev.pacegate.limit.Portion;
import dev.pacegate.limit.Promise;
import java.time.InstantSource;
import java.util.List;

/**
 * What a limiter needs of a {@link Limit}: meters, and other limits derived from it.
 *
 * <p>A limit of your own implements {@link #newMeter(long)} and {@link #promises}. The other
 * methods follow from its promises, or refuse with a message that names the limit. A limiter also
 * refuses a limit whose meter contradicts its promises: each promise needs a meter of its
 * {@linkplain Meter#measure measure}, which {@linkplain Meter#tracks is told} of ends if the
 * promise counts whole requests.
 *
 * <p>Instants and durations are nanoseconds; those of {@code now} are of the limiter's clock, which
 * has any origin. Thread-safe, as a limit is immutable: any thread may ask, also inside the gate of
 * a limiter, so no method may block or call a limiter.
 */
public interface MeterProvider {

  /** The default of how long a lost request may yet be counted, in nanoseconds: 10 s. */
  long UNANSWERED = 10_000_000_000L;

  /** Returns this limit's promises. */
  List<Promise> promises();

  /**
   * Returns whether any of the promises counts a request wherever it was open, not only at its
   * start. Then each permit must end when its request has.
   */
  default boolean countsWhole() {
    for (Promise promise : promises()) {
      if (promise.countsWhole()) {
        return true;
      }
    }
    return false;
  }

  /** Returns a fresh meter for this limit, as of {@code now}. */
  Meter newMeter(long now);

  /**
   * Returns a fresh meter for this limit, as of {@code now}.
   *
   * @param timeOfDay the time of day for a limit that follows the calendar, in place of the
   *     system's
   */
  default Meter newMeter(long now, InstantSource timeOfDay) {
    return newMeter(now);
  }

  /**
   * Returns a meter as of {@code now} for a program that does not know what an earlier process did:
   * as if all that this limit gives at once had just been released and lost. {@link Meter#most}
   * counts that, too.
   *
   * @param timeOfDay the time of day for a limit that follows the calendar
   */
  default Meter newSpentMeter(long now, InstantSource timeOfDay) {
    Meter meter = withoutInitialState().newMeter(now, timeOfDay);
    for (Promise promise : promises()) {
      if (promise.length() > 0) {
        Cost cost = promise.of().cost(promise.atOnce());
        meter.release(now, now, cost);
        if (meter.tracks()) {
          meter.end(now, now, cost, Outcome.LOST);
        }
      }
    }
    return meter;
  }

  /** Returns this limit without its initial state, as it takes over from another. */
  Limit withoutInitialState();

  /**
   * Returns how many nanoseconds after its start a lost request may yet be counted. Default: 10 s
   * if whole requests count, 0 if only starts do. A permit that has been open for that long may
   * count as lost if the program can no longer end it.
   */
  default long unansweredNanos() {
    return countsWhole() ? UNANSWERED : 0;
  }

  /**
   * Returns the age at which an open permit counts as lost, in nanoseconds; {@link Meter#NEVER} if
   * never.
   */
  default long abandonNanos() {
    return Meter.NEVER;
  }

  /** Returns how much longer than its promises say a request counts here. */
  default Margin margin() {
    return Margin.NONE;
  }

  /**
   * Returns for how many nanoseconds after its start, or its end if it has one, a request may
   * matter.
   */
  default long memory() {
    long longest = 0;
    for (Promise promise : promises()) {
      longest = Math.max(longest, promise.length());
    }
    long memory = margin().longer(longest) + unansweredNanos();
    return memory < 0 ? Long.MAX_VALUE : memory;
  }

  /**
   * Returns a limit that allows {@code portion} of what this one does, in whole permits.
   *
   * @throws IllegalArgumentException if that is less than one permit, or this limit cannot be
   *     shared
   */
  default Limit share(Portion portion) {
    throw new IllegalArgumentException("no share of " + this + " can be reserved");
  }
}
