package dev.pacegate.engine;

import dev.pacegate.limit.Cost;
import dev.pacegate.limit.Limit;
import java.util.OptionalDouble;

/**
 * A second wait of a pool, besides that of its meter: requests go evenly at a rate below the limit.
 * Guarded by the gate.
 *
 * <p>Not a {@link dev.pacegate.limit.spi.Meter}: as the rate rises by steps, no bound says how long
 * a request waits behind others.
 */
public interface Pacing {

  /** No rate below the limit. */
  Pacing NONE = new Pacing() {};

  /** Returns the wait for the first unit behind {@code ahead}. */
  default long nanosUntil(long now, Cost ahead) {
    return 0;
  }

  /** Returns the least wait of a request that comes now. */
  default long atLeast(long now) {
    return 0;
  }

  /** Notes a release. */
  default void release(long now, Cost cost) {}

  /** Returns how long a rate is in force if nothing else happens; 0 if none is. */
  default long restsIn(long now) {
    return 0;
  }

  /** Returns the rate in units a second, if one is in force. */
  default OptionalDouble perSecond(long now) {
    return OptionalDouble.empty();
  }

  /**
   * Returns what notes that another limit is in force. Asks that limit before, as it may fail, and
   * changes nothing by itself.
   */
  default Runnable changing(Limit next, long now) {
    return () -> {};
  }

  /** Returns until when it has paused the pool, or the limiter; 0 if it never has. */
  default long pausedUntil() {
    return 0;
  }

  /** Notes that the pool's pause was ended by hand. */
  default void resumed() {}
}
