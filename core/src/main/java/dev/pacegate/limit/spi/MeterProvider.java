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
 * What a limiter asks of a {@link Limit}: meters, and other limits made of it.
 *
 * <p>A limit of your own implements {@link #newMeter(long)} and {@link #promises}; what it does not
 * override either follows from its promises or is refused with a message that names the limit. A
 * limiter also refuses a limit whose meter contradicts its promises: each is to be counted by a
 * meter of its {@linkplain Meter#measure measure}, which {@linkplain Meter#tracks is told} of ends
 * if whole requests count.
 */
public interface MeterProvider {

  /** How long a lost request may yet be counted, unless stated: 10 s. */
  long UNANSWERED = 10_000_000_000L;

  /** Returns what this limit promises. */
  List<Promise> promises();

  /** Returns a fresh meter for this limit, as of {@code now}. */
  Meter newMeter(long now);

  /**
   * Returns a fresh meter for this limit, as of {@code now}.
   *
   * @param timeOfDay what to read where the limit follows the calendar, in place of the system's
   */
  default Meter newMeter(long now, InstantSource timeOfDay) {
    return newMeter(now);
  }

  /**
   * Returns a meter as of {@code now} for a program that does not know what an earlier one did: as
   * if all that this limit gives at once had just been released and lost. {@link Meter#most} counts
   * what is supposed, too.
   *
   * @param timeOfDay what to read where the limit follows the calendar
   */
  default Meter newSpentMeter(long now, InstantSource timeOfDay) {
    Meter meter = goingOn().newMeter(now, timeOfDay);
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

  /**
   * Returns this limit as it takes over from another: without what it says of a beginning of which
   * nothing is known.
   */
  Limit goingOn();

  /**
   * Returns for how long after its start a lost request may yet be counted, in nanoseconds: 10 s
   * unless told otherwise where whole requests count, 0 where only starts do. A permit that is open
   * for that long may count as lost if the program can no longer end it.
   */
  default long unansweredNanos() {
    for (Promise promise : promises()) {
      if (promise.countsWhole()) {
        return UNANSWERED;
      }
    }
    return 0;
  }

  /**
   * Returns after how many nanoseconds an open permit counts as lost; {@link Meter#NEVER} if never.
   */
  default long abandonNanos() {
    return Meter.NEVER;
  }

  /** Returns by how much longer than its promises say a request counts here. */
  default Margin margin() {
    return Margin.NONE;
  }

  /** Returns for how long after its start, or its end if it has one, a request may matter. */
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
   * @throws IllegalArgumentException if that is less than one permit, or this limit has no shares
   */
  default Limit share(Portion portion) {
    throw new IllegalArgumentException("no share of " + this + " can be reserved");
  }
}
