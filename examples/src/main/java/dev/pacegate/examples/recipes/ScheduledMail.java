package dev.pacegate.examples.recipes;

import dev.pacegate.Limiter;
import dev.pacegate.Permit;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Queue;

/**
 * A job that a scheduler starts again and again, and which leaves to the next run what may not go.
 */
final class ScheduledMail {

  private final Api server;
  private final Queue<String> outbox;
  final Limiter mail;

  ScheduledMail(Api server, Queue<String> outbox, Path state) {
    this.server = server;
    this.outbox = outbox;
    mail = Limiter.builder("peer(500/1d)").state(state).build(); // the file survives a restart
  }

  /** Started by a scheduler. */
  void sendDue() throws IOException, InterruptedException {
    while (!outbox.isEmpty()) {
      Optional<Permit> free = mail.tryAcquire(); // never waits
      if (free.isEmpty()) {
        return; // the next run continues
      }
      try (Permit permit = free.get()) {
        server.send(outbox.element());
        permit.answered();
        outbox.remove();
      }
    }
  }
}
