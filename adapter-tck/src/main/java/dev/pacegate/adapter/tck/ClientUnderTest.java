package dev.pacegate.adapter.tck;

import java.net.URI;
import java.time.Duration;

/** A client of HTTP, as the kit uses it. Thread-safe. */
public interface ClientUnderTest extends AutoCloseable {

  /**
   * Returns a call that has not begun.
   *
   * @param method {@code GET}, or {@code POST} with a short body
   * @param timeout how long the client may wait for the response once the request is sent
   */
  ClientCall newCall(String method, URI target, Duration timeout);

  /** Closes the client's connections, if it can. */
  @Override
  default void close() throws Exception {}
}
