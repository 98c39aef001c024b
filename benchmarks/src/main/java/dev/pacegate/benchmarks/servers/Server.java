package dev.pacegate.benchmarks.servers;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** A server that was started for this page: one process, on a port of the loopback. */
public final class Server implements AutoCloseable {

  private final Process process;
  private final int port;
  private final Map<String, String> versions;
  private final Signals signals;

  /**
   * @param versions of what serves, by name, as the program tells them
   */
  Server(Process process, int port, Map<String, String> versions) throws IOException {
    this.process = process;
    this.signals = new Signals(process.pid());
    this.port = port;
    this.versions = versions;
  }

  /** Starts a program whose output, of both kinds, goes to a file. */
  static Process start(Path output, List<String> command) throws IOException {
    Process process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    // For an interrupted run: a stopped process would outlive it.
    Runtime.getRuntime().addShutdownHook(new Thread(process::destroyForcibly));
    return process;
  }

  /** Returns what is wrong with a program that does not serve, with what it has printed. */
  static IOException failure(Process process, Path output) throws IOException {
    String printed = Files.readString(output).strip();
    return new IOException(
        "cannot start "
            + process.info().commandLine().orElse("a server")
            + (printed.isEmpty() ? "" : ": " + printed));
  }

  /** Returns the port that it listens on. */
  public int port() {
    return port;
  }

  /** Returns the versions of what serves, by name. */
  public Map<String, String> versions() {
    return versions;
  }

  /** Returns the processor time that it has used. */
  public Duration cpu() {
    return process.info().totalCpuDuration().orElseThrow();
  }

  /** Stops the process for a time; returns for how long it was stopped. */
  public Duration pause(Duration length) throws IOException, InterruptedException {
    long began = System.nanoTime();
    signals.send("STOP");
    try {
      Thread.sleep(length.toMillis()); // the stall
    } finally {
      signals.send("CONT");
    }
    return Duration.ofNanos(System.nanoTime() - began);
  }

  @Override
  public void close() {
    signals.close();
    process.destroy();
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
