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
 * does, so all end with this process, however that ends. They make no files. Thread-safe.
 */
final class DemoProcesses implements AutoCloseable {

  /**
   * Runs a command, which does not read its input, until that ends. The shells ignore what a
   * terminal sends when it is closed: the server ignores it too, and would be left.
   */
  private static final String UNTIL_INPUT_ENDS =
      """
      trap '' HUP INT QUIT
      exec 3<&0
      "$@" 3<&- & it=$!
      (cat <&3 >&2; kill -9 $it) & watch=$!
      wait $it
      kill -9 $watch
      """;

  private final List<Process> processes = new ArrayList<>();
  private boolean closed;

  /** Starts {@code redis-server} from the PATH, on loopback, without a file. */
  void startRedis(int port) throws Failure {
    try {
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
    } catch (IOException e) {
      throw new Failure("cannot start redis-server: " + e.getMessage());
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

  static int freePort() throws IOException {
    try (var socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  /** Returns whether something on this machine listens at a port. */
  static boolean listens(int port) {
    try {
      new Socket(InetAddress.getLoopbackAddress(), port).close();
      return true;
    } catch (IOException notYet) {
      return false;
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

  /** Ends all. */
  @Override
  public synchronized void close() {
    closed = true;
    processes.forEach(DemoProcesses::endInput);
    processes.forEach(DemoProcesses::awaitEnd);
    processes.clear();
  }

  private static void endInput(Process process) {
    try {
      process.getOutputStream().close();
    } catch (IOException e) {
      process.destroy();
    }
  }

  private static void awaitEnd(Process process) {
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
