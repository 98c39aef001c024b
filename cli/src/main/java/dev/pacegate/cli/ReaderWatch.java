package dev.pacegate.cli;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Looks whether the pipe that standard output is has a reader, also while nothing is written.
 *
 * <p>On Linux, to copy no bytes from a file into a pipe does nothing if there is a reader, and
 * fails if there is none. It waits while the pipe is full, until something is read or the reader
 * has gone. To write no bytes tells nothing.
 */
final class ReaderWatch implements AutoCloseable {

  private static final long LOOK_MILLIS = 500;
  private static final Path OUT = Path.of("/proc/self/fd/1");
  private static final Path ANY_FILE = Path.of(System.getProperty("java.home"), "lib", "modules");

  /** Such a pipe has no name, so no other reader can come. */
  private static final String PIPE = "pipe:[";

  private final Runnable gone;
  private final CountDownLatch closing = new CountDownLatch(1);
  private final AtomicBoolean over =
      new AtomicBoolean(); // a look may be under way when it is closed

  private ReaderWatch(Runnable gone) {
    this.gone = gone;
  }

  /**
   * Begins to look, if the system can tell and standard output is that of this process.
   *
   * @param gone is run by another thread once there is no reader
   */
  static ReaderWatch watch(World world, Runnable gone) {
    var watch = new ReaderWatch(gone);
    if (world.out() instanceof StandardOutput) {
      var thread = new Thread(watch::look, "pacegate-reader");
      thread.setDaemon(true);
      thread.start();
    }
    return watch;
  }

  private void look() {
    try {
      if (isClosedSoon() || !Files.readSymbolicLink(OUT).toString().startsWith(PIPE)) {
        return;
      }
      FileChannel out = new FileOutputStream(FileDescriptor.out).getChannel(); // never closed
      try (var file = FileChannel.open(ANY_FILE)) {
        boolean isClosed = !canTell(file);
        while (!isClosed && hasReader(out, file)) {
          isClosed = isClosedSoon();
        }
        if (!isClosed && over.compareAndSet(false, true)) {
          gone.run();
        }
      }
    } catch (IOException | UnsupportedOperationException unknown) {
      // Then the next write finds out.
    } catch (InterruptedException end) {
      Thread.currentThread().interrupt();
    }
  }

  private boolean isClosedSoon() throws InterruptedException {
    return closing.await(LOOK_MILLIS, TimeUnit.MILLISECONDS);
  }

  /** Tries the call where no reader is needed: a system may forbid it. */
  private static boolean canTell(FileChannel file) throws IOException {
    try (var anywhere = FileChannel.open(Path.of("/dev/null"), StandardOpenOption.WRITE)) {
      return hasReader(anywhere, file);
    }
  }

  private static boolean hasReader(FileChannel pipe, FileChannel file) {
    try {
      file.transferTo(0, 0, pipe);
      return true;
    } catch (IOException broken) {
      return false;
    }
  }

  /** From now on nothing is run, though a look may take longer. */
  @Override
  public void close() {
    over.set(true);
    closing.countDown();
  }
}
