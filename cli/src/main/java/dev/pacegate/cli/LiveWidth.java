package dev.pacegate.cli;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.File;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.IntSupplier;

/**
 * How wide the terminal is now, for one thread. It is asked when it has been resized, and at first:
 * a command that ends before anything is drawn never asks.
 */
final class LiveWidth implements IntSupplier {

  private static final File TERMINAL = new File("/dev/tty");

  /** Far longer than it takes: what is drawn waits for it. */
  private static final Duration LONGEST = Duration.ofSeconds(5);

  private final File terminal;
  private final Duration longest;
  private final String[] stty;
  private final AtomicBoolean isStale = new AtomicBoolean();
  private boolean isWatching;
  private int columns;

  /**
   * @param columns what is assumed of a terminal that does not tell
   */
  LiveWidth(int columns) {
    this(columns, TERMINAL, LONGEST, "stty", "size");
  }

  /**
   * @param longest how long the command may take: it is ended then
   * @param stty what prints the rows and columns of its input
   */
  LiveWidth(int columns, File terminal, Duration longest, String... stty) {
    this.columns = columns;
    this.terminal = terminal;
    this.longest = longest;
    this.stty = stty;
  }

  @Override
  public int getAsInt() {
    if (!isWatching) {
      isWatching = true;
      isStale.set(true);
      watch("WINCH");
      watch("CONT"); // of a resize meanwhile only the job in the foreground is told
    }
    if (isStale.getAndSet(false)) {
      ask();
    }
    return columns;
  }

  private void watch(String signal) {
    try {
      Signals.handle(signal, number -> isStale.set(true));
    } catch (ReflectiveOperationException | RuntimeException | LinkageError none) {
      // The width stays the one that it was at first.
    }
  }

  private void ask() {
    try {
      Process process =
          new ProcessBuilder(stty).redirectInput(terminal).redirectError(Redirect.DISCARD).start();
      String size = answer(process);
      int told = Width.parse(size.substring(size.indexOf(' ') + 1));
      columns = told == 0 ? columns : told;
    } catch (IOException unknown) {
      // It stays as it was.
    }
  }

  /** Returns what it prints; nothing if it has to be ended. */
  private String answer(Process process) throws IOException {
    try {
      return process.waitFor(longest.toNanos(), TimeUnit.NANOSECONDS)
          ? new String(process.getInputStream().readAllBytes(), US_ASCII).strip()
          : "";
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return "";
    } finally {
      process.destroyForcibly(); // which closes its streams, too
    }
  }
}
