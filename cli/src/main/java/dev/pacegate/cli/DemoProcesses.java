package dev.pacegate.cli;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * The processes of the demonstration: a server of Redis, and senders. Each ends when its input
 * does, so all end with this process, even if that is killed. Thread-safe.
 */
final class DemoProcesses implements AutoCloseable {

  private static final long LONGEST_START = TimeUnit.MINUTES.toNanos(1);

  /** Runs a command, which does not read its input, until that ends. */
  private static final String UNTIL_INPUT_ENDS =
      "exec 3<&0; \"$@\" 3<&- & it=$!; (cat <&3 >&2; kill $it) & wait $it";

  private final List<Process> processes = new ArrayList<>();
  private boolean closed;

  /**
   * Starts {@code redis-server} from the PATH, on loopback, without a file.
   *
   * @return its address
   */
  String startRedis() throws Failure {
    try {
      int port = freePort();
      Process server =
          start(
              List.of(
                  "sh",
                  "-c",
                  UNTIL_INPUT_ENDS,
                  "redis-server",
                  "redis-server",
                  "--port",
                  Integer.toString(port),
                  "--bind",
                  "127.0.0.1",
                  "--save",
                  "",
                  "--appendonly",
                  "no"));
      awaitPort(server, port);
      return "redis://127.0.0.1:" + port;
    } catch (IOException e) {
      throw new Failure(
          "cannot start redis-server: " + e.getMessage() + " (is it installed, and in the PATH?)");
    }
  }

  /** Starts a sender in a JVM of its own. */
  void startSender(String store, String limit, int port, int number) throws Failure {
    String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    try {
      start(
          List.of(
              java,
              "-XX:TieredStopAtLevel=1",
              "-XX:+UseSerialGC",
              "-Xmx64m",
              "-cp",
              System.getProperty("java.class.path"),
              DemoSender.class.getName(),
              store,
              limit,
              Integer.toString(port),
              Integer.toString(number)));
    } catch (IOException e) {
      throw new Failure("cannot start a sender: " + e.getMessage());
    }
  }

  private synchronized Process start(List<String> command) throws IOException {
    if (closed) {
      throw new IOException("it was ended");
    }
    Process process =
        new ProcessBuilder(command)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    processes.add(process);
    return process;
  }

  private static int freePort() throws IOException {
    try (var socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  private static void awaitPort(Process server, int port) throws IOException {
    long until = System.nanoTime() + LONGEST_START;
    while (true) {
      try {
        new Socket(InetAddress.getLoopbackAddress(), port).close();
        return;
      } catch (IOException notYet) {
        if (!server.isAlive() || System.nanoTime() - until > 0) {
          throw new IOException("it does not listen", notYet);
        }
      }
      try {
        Thread.sleep(20); // a server that starts gives no other sign
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IOException("interrupted", e);
      }
    }
  }

  /** Returns whether all still run. */
  synchronized boolean areAlive() {
    return processes.stream().allMatch(Process::isAlive);
  }

  /** Returns whether they were ended here. */
  synchronized boolean areClosed() {
    return closed;
  }

  /** Ends all, the server last. */
  @Override
  public synchronized void close() {
    closed = true;
    for (int i = processes.size() - 1; i >= 0; i--) {
      end(processes.get(i));
    }
    processes.clear();
  }

  private static void end(Process process) {
    try (var input = process.getOutputStream()) {
      input.flush();
    } catch (IOException e) {
      process.destroy();
    }
    try {
      if (!process.waitFor(2, TimeUnit.SECONDS)) {
        process.destroyForcibly();
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
  }
}
