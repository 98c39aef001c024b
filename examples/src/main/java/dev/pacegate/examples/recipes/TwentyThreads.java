package dev.pacegate.examples.recipes;

import dev.pacegate.Limiter;
import java.io.IOException;

/** Ten requests a minute, from however many threads. */
final class TwentyThreads {

  private final Api server;

  TwentyThreads(Api server) {
    this.server = server;
  }

  final Limiter api = Limiter.of("peer(10/1m)"); // one for all threads

  String fetch(String page) throws IOException, InterruptedException {
    return api.call(() -> server.send(page)); // waits, sends, ends the permit
  }
}
