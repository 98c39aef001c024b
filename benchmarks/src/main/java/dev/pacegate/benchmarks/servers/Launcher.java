package dev.pacegate.benchmarks.servers;

import java.io.IOException;
import java.nio.file.Path;

/** Starts a server of some kind. */
@FunctionalInterface
public interface Launcher {

  /**
   * Starts it.
   *
   * @param folder an empty folder of the server's own
   * @throws IOException if it does not serve, naming it
   */
  Server launch(Path folder) throws IOException, InterruptedException;
}
