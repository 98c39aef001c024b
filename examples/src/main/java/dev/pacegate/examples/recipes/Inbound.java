package dev.pacegate.examples.recipes;

import com.sun.net.httpserver.Filter;
import com.sun.net.httpserver.HttpExchange;
import dev.pacegate.KeyedLimiter;
import dev.pacegate.Limiter;
import java.io.IOException;

/** Turns away callers who send too much, and tells them when to come again. */
final class Inbound extends Filter {

  final KeyedLimiter<String> callers = KeyedLimiter.of("10/1m");

  @Override
  public void doFilter(HttpExchange exchange, Chain next) throws IOException {
    Limiter caller = callers.limiter(exchange.getRemoteAddress().getHostString());
    if (caller.tryAcquire().isPresent()) {
      next.doFilter(exchange);
      return;
    }
    long seconds = caller.estimateWait(1).toSeconds() + 1;
    exchange.getResponseHeaders().set("Retry-After", Long.toString(seconds));
    exchange.sendResponseHeaders(429, -1);
    exchange.close();
  }

  @Override
  public String description() {
    return "ten a minute from each address";
  }
}
