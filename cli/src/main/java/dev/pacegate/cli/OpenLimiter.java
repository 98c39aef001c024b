package dev.pacegate.cli;

import dev.pacegate.Limiter;
import dev.pacegate.time.Durations;
import java.time.Duration;

/**
 * A limiter, and the connection that it needs.
 *
 * @param disconnect ends the connection; does nothing if there is none
 */
record OpenLimiter(Limiter limiter, Runnable disconnect) implements AutoCloseable {

  private static final Duration LONG = Duration.ofSeconds(2);

  /** Tells how long nothing will be seen, if that is long: a bucket of `peer` begins empty. */
  void tellFirstWait(World world) {
    Duration wait = limiter.estimateWait(1);
    if (wait.compareTo(LONG) >= 0) {
      world.say("the first goes in " + Durations.brief(wait.toNanos()));
    }
  }

  /** Closes the limiter, which tells the store what ended, and then the connection. */
  @Override
  public void close() {
    limiter.close();
    disconnect.run();
  }
}
