package dev.pacegate.http;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;

/** The process of a server of a test's own, in the foreground, on a free port of the loopback. */
final class OwnServer implements AutoCloseable {

  private static final Duration LONGEST = Duration.ofSeconds(60);

  private final Process process;
  private final int port;

  private OwnServer(Process process, int port) {
    this.process = process;
    this.port = port;
  }

  /**
   * Starts it and waits until it listens. Its port is bound, but not listened to, until then: so no
   * other process is given it, nor answers for it.
   *
   * @param config what {@code file} says to a server of that port
   */
  static OwnServer start(Path file, IntFunction<String> config, String... command)
      throws IOException, InterruptedException {
    Path output = file.resolveSibling("output");
    try (var held = new Socket()) {
      held.setReuseAddress(true);
      held.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
      int port = held.getLocalPort();
      Files.writeString(file, config.apply(port));
      Process process =
          new ProcessBuilder(command)
              .redirectErrorStream(true)
              .redirectOutput(output.toFile())
              .start();
      var server = new OwnServer(process, port);
      if (!server.listens()) {
        server.close();
        throw new IOException(
            List.of(command) + " does not listen; it says: " + Files.readString(output));
      }
      return server;
    }
  }

  /** Returns a program, which may be where a user has no path to. */
  static String program(String name) {
    Path program = Path.of("/usr/sbin", name);
    return Files.isExecutable(program) ? program.toString() : name;
  }

  private boolean listens() throws InterruptedException {
    long end = System.nanoTime() + LONGEST.toNanos();
    while (process.isAlive() && System.nanoTime() - end < 0) {
      try (var socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
        return true;
      } catch (IOException notYet) {
        Thread.sleep(10); // polls
      }
    }
    return false;
  }

  URI uri() {
    return URI.create("http://127.0.0.1:" + port + "/");
  }

  @Override
  public void close() throws InterruptedException {
    process.destroy();
    if (!process.waitFor(10, TimeUnit.SECONDS)) {
      process.destroyForcibly();
    }
  }
}
