package dev.pacegate.cli;

import static java.util.Objects.requireNonNull;

import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * Prints the output of each command in one piece when it has ended, so that outputs of concurrent
 * commands do not mix: standard output first, then standard error. Commands are printed in the
 * order in which they ended, unless another is asked for. Until then the output is in temporary
 * files.
 */
final class Groups implements Results {

  /** How many results may wait for an earlier one. */
  private static final int MOST = 10_000;

  private final World world;
  private final Output out;
  private final boolean ordered;
  private final Path folder;
  private final Object printing = new Object(); // held while the reader of the output is slow
  private final byte[] buffer = new byte[1 << 13];
  private final ArrayDeque<OutputGroup> unprinted = new ArrayDeque<>(); // in the order of printing
  private long number;

  /**
   * @param ordered whether to print in the order in which commands were started, not ended
   */
  Groups(World world, boolean ordered) throws Failure {
    this.world = world;
    this.out = new Output(world.out());
    this.ordered = ordered;
    try {
      this.folder = Files.createTempDirectory("pacegate-");
    } catch (IOException e) {
      throw new Failure(Status.IO, "cannot make a temporary folder: " + e.getMessage());
    }
  }

  private final class OutputGroup implements CommandResult {
    final Path out = folder.resolve(number + ".out");
    final Path err = folder.resolve(number + ".err");
    @Nullable WhenPrinted printed; // once it has ended; guarded by Groups.this

    @Override
    public void attachAgain(ProcessBuilder command) {
      command.redirectOutput(ProcessBuilder.Redirect.appendTo(out.toFile()));
      command.redirectError(ProcessBuilder.Redirect.appendTo(err.toFile()));
    }

    @Override
    public void end(WhenPrinted printed) {
      ended(this, printed);
    }

    @Override
    public void finish() throws Failure {
      printEnded();
    }
  }

  @Override
  public synchronized CommandResult attach(ProcessBuilder command) {
    number++;
    var group = new OutputGroup();
    group.attachAgain(command);
    if (ordered) {
      unprinted.add(group);
    }
    return group;
  }

  @Override
  public synchronized boolean isFull() {
    return unprinted.size() >= MOST;
  }

  private synchronized void ended(OutputGroup group, WhenPrinted printed) {
    group.printed = printed;
    if (!ordered) {
      unprinted.add(group);
    }
  }

  private void printEnded() throws Failure {
    synchronized (printing) {
      for (OutputGroup group = next(); group != null; group = next()) {
        print(group);
        requireNonNull(group.printed).run();
      }
    }
  }

  /** Removes the first group in order if it has ended. */
  private synchronized @Nullable OutputGroup next() {
    OutputGroup first = unprinted.peek();
    if (first == null || first.printed == null) {
      return null;
    }
    return unprinted.remove();
  }

  /** Nothing else gets between the lines of a group where both its parts go to the terminal. */
  private void print(OutputGroup group) throws Failure {
    boolean isTogether = world.screen() == World.Screen.BOTH;
    if (isTogether) {
      world.terminal().lock();
    }
    try {
      copy(group.out, out::write);
      printError(group.err);
    } catch (IOException e) {
      throw new Failure(Status.IO, "cannot read what a command wrote: " + e.getMessage());
    } finally {
      if (isTogether) {
        world.terminal().unlock();
      }
    }
  }

  /** A live line is erased once before it, and cannot erase the end of it later. */
  private void printError(Path file) throws IOException, Failure {
    if (Files.size(file) == 0) {
      Files.delete(file);
      return;
    }
    world.terminal().lock();
    try {
      world.erase();
      byte last = copy(file, world.err()::write);
      if (last != '\n' && world.screen() != World.Screen.NONE) {
        world.err().println();
      }
    } finally {
      world.terminal().unlock();
    }
  }

  private interface CopySink {
    void write(byte[] bytes, int from, int length) throws Failure;
  }

  /** Returns the last byte, if there is any. */
  private byte copy(Path file, CopySink sink) throws IOException, Failure {
    byte last = 0;
    try (InputStream in = new FileInputStream(file.toFile())) {
      for (int n = in.read(buffer); n > 0; n = in.read(buffer)) {
        sink.write(buffer, 0, n);
        last = buffer[n - 1];
      }
    }
    Files.delete(file);
    return last;
  }

  @Override
  public void close() {
    try (DirectoryStream<Path> files = Files.newDirectoryStream(folder)) {
      for (Path file : files) {
        Files.delete(file);
      }
      Files.delete(folder);
    } catch (IOException remains) {
      // It is in a temporary folder, which the system cleans up.
    }
  }
}
