package dev.pacegate.cli;

import dev.pacegate.Limiter;

/**
 * A limiter, and the connection that it needs.
 *
 * @param disconnect ends the connection; does nothing if there is none
 */
record OpenLimiter(Limiter limiter, Runnable disconnect) implements AutoCloseable {

  /** Closes the limiter, which tells the store what ended, and then the connection. */
  @Override
  public void close() {
    limiter.close();
    disconnect.run();
  }
}
