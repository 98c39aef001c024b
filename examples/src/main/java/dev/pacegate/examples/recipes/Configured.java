package dev.pacegate.examples.recipes;

import dev.pacegate.Limiter;
import dev.pacegate.Limiters;
import java.io.IOException;
import java.nio.file.Path;

/** A limit that is changed while the program runs. */
final class Configured implements AutoCloseable {

  private final Api server;
  final Limiters limits;
  private final Limiter sms;

  Configured(Api server, Path file) throws IOException {
    this.server = server;
    limits = Limiters.watch(file); // a line such as: sms = peer(30/1s) & spacing(33ms)
    sms = limits.get("sms"); // stays the same limiter when the file changes
  }

  String text(String text) throws IOException, InterruptedException {
    return sms.call(() -> server.send(text));
  }

  @Override
  public void close() {
    limits.close();
  }
}
