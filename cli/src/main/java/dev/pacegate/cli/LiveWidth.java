package dev.pacegate.cli;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.File;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.IntSupplier;

/**
 * How wide the terminal is now, for one thread. It is asked when it has been resized, and at first:
 * a command that ends before anything is drawn never asks.
 */
final class LiveWidth implements IntSupplier {

  private static final File TERMINAL = new File("/dev/tty");

  private final AtomicBoolean isStale = new AtomicBoolean();
  private boolean isWatching;
  private int columns;

  /**
   * @param columns what is assumed of a terminal that does not tell
   */
  LiveWidth(int columns) {
    this.columns = columns;
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
    var stty = new ProcessBuilder("stty", "size").redirectInput(TERMINAL);
    try {
      Process process = stty.redirectError(ProcessBuilder.Redirect.DISCARD).start();
      String size = new String(process.getInputStream().readAllBytes(), US_ASCII).strip();
      int told = Width.parse(size.substring(size.indexOf(' ') + 1));
      columns = told == 0 ? columns : told;
    } catch (IOException unknown) {
      // It stays as it was.
    }
  }
}
