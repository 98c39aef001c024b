package dev.pacegate.history;

import dev.pacegate.limit.Cost;
import dev.pacegate.limit.Limit;
import dev.pacegate.limit.spi.Meter;
import java.time.InstantSource;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Where the meters of one limit come from: the first, and for each change the next. Guarded by the
 * limiter's gate.
 */
public interface Succession {

  /** Makes fresh meters, and keeps what was let through over changes. */
  Succession PLAIN =
      new Succession() {
        @Override
        public Meter first(Limit limit, long began, InstantSource timeOfDay) {
          return limit.newMeter(began, timeOfDay);
        }

        @Override
        public Meter successor(Takeover takeover) {
          return ChangedMeter.of(takeover);
        }
      };

  /**
   * Puts {@code next} in force by {@code putInForce}, unless this does so by itself, now or later.
   * Needs no gate.
   *
   * @throws IllegalArgumentException if there can be no meter of it
   */
  default void setLimit(Limit present, Limit next, Consumer<Limit> putInForce) {
    putInForce.accept(next);
  }

  /** Returns the first meter, of a limit that is in force from {@code began} on. Called once. */
  Meter first(Limit limit, long began, InstantSource timeOfDay);

  /**
   * Returns the meter of the next limit. Changes nothing that is in force. What it returns is
   * either {@linkplain #install installed} or {@linkplain #discard discarded}.
   */
  Meter successor(Takeover takeover);

  /** Notes that {@code successor} is in force from {@code now} on. */
  default void install(Meter successor, long now) {}

  /** Notes that {@code successor} will not be in force. */
  default void discard(Meter successor, long now) {}

  /** Notes that the limit is used no more, but that open permits still end. */
  default void retire(long now) {}

  /**
   * Notes that a request that was sent late, which its meter knows only by that instant, is about
   * to be charged {@code actual}.
   */
  default void settlesLate(long startedAt, long now, Cost charged, Cost actual) {}

  /** Notes that a request was refused, as it did not wait. */
  default void refused(Cost cost) {}

  /** Returns whether others take from the limit as well, so that its state is not known here. */
  default boolean isShared() {
    return false;
  }

  /** Returns why all requests are refused; null if they are not. */
  default @Nullable String unavailable() {
    return null;
  }

  /** Returns why there are no permits for now: requests are refused, or wait; null if neither. */
  default @Nullable String unavailable(long now) {
    return null;
  }

  /** Returns whether {@link #unavailable} tells a failure of the source. */
  default boolean fails(long now) {
    return false;
  }
}
