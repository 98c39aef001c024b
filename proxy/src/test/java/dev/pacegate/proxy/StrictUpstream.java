package dev.pacegate.proxy;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import java.io.IOException;
import java.time.Duration;

/**
 * An upstream that counts by itself: each request that makes more than so many in any span gets
 * 429. Those count, too.
 */
final class StrictUpstream implements HttpHandler {

  private final long[] latest; // when the latest requests came, the oldest at the next place
  private final long span;
  private long arrived;
  private long refused;

  StrictUpstream(int most, Duration span) {
    this.latest = new long[most];
    this.span = span.toNanos();
  }

  @Override
  public void handle(HttpExchange exchange) throws IOException {
    ProxyRig.answer(exchange, isOneTooMany() ? 429 : 200, "");
  }

  /** Its clock is read within: or two requests might change places. */
  private synchronized boolean isOneTooMany() {
    long now = System.nanoTime();
    int place = (int) (arrived % latest.length);
    boolean tooMany = arrived >= latest.length && now - latest[place] < span;
    latest[place] = now;
    arrived++;
    refused += tooMany ? 1 : 0;
    return tooMany;
  }

  synchronized long arrived() {
    return arrived;
  }

  synchronized long refused() {
    return refused;
  }
}
