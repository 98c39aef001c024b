package dev.pacegate.cli;

import static java.nio.file.StandardOpenOption.CREATE_NEW;
import static java.nio.file.StandardOpenOption.WRITE;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What may not go now. It is counted, and if there is a file written into it: into a temporary file
 * beside it first, so the file may be the one that is read. Until a line is left, nothing is made.
 */
final class Rest implements AutoCloseable {

  private final @Nullable Path file;
  private final byte terminator;
  private @Nullable Path unfinished;
  private @Nullable OutputStream out;
  private long count;
  private byte last;
  private boolean isClosed;

  /**
   * Checks what can be checked before the work, and changes nothing.
   *
   * @param name of the file; null if there is none
   * @param terminator of a line
   */
  Rest(@Nullable String name, char terminator) throws Failure {
    this.terminator = (byte) terminator;
    this.last = this.terminator;
    this.file = name == null ? null : target(name);
  }

  private static Path target(String name) throws Failure {
    try {
      Path file = Path.of(name).toAbsolutePath();
      if (Files.exists(file)) {
        file = file.toRealPath(); // a link stays a link
        if (!Files.isRegularFile(file) && !Files.isDirectory(file)) {
          throw new Failure("cannot write " + name + " (Not a regular file)");
        }
      } else if (Files.isSymbolicLink(file)) {
        throw new Failure("cannot write " + name + " (A link to a file that does not exist)");
      }
      Path folder = file.getParent();
      if (Files.isDirectory(file) || folder == null) {
        throw new Failure("cannot write " + name + " (Is a directory)");
      } else if (!Files.isDirectory(folder)) {
        throw new NoSuchFileException(name);
      } else if (!Files.isWritable(folder)) {
        throw new AccessDeniedException(name);
      }
      return file;
    } catch (IOException e) {
      throw Failure.cannotOpen(name, e);
    } catch (InvalidPathException e) {
      throw new Failure("cannot write " + name + " (" + e.getReason() + ")");
    }
  }

  /** Adds a line without its end. */
  synchronized void addLine(byte[] line) throws Failure {
    add(line, 0, line.length);
    add(new byte[] {terminator}, 0, 1);
  }

  /** Adds bytes as they are. */
  synchronized void add(byte[] bytes, int from, int to) throws Failure {
    if (isClosed) {
      return;
    }
    try {
      out().write(bytes, from, to - from);
    } catch (IOException e) {
      throw cannotWrite(e);
    }
    for (int at = from; at < to; at++) {
      count += bytes[at] == terminator ? 1 : 0;
    }
    last = to > from ? bytes[to - 1] : last;
  }

  private OutputStream out() throws IOException {
    if (out == null) {
      out =
          file == null
              ? OutputStream.nullOutputStream()
              : new BufferedOutputStream(create(file, mode(file)));
    }
    return out;
  }

  private OutputStream create(Path file, @Nullable Set<PosixFilePermission> mode)
      throws IOException {
    String name = ".pacegate-" + Long.toHexString(new SecureRandom().nextLong());
    Path temporary = file.resolveSibling(name);
    FileAttribute<?>[] attributes =
        mode == null
            ? new FileAttribute<?>[0]
            : new FileAttribute<?>[] {PosixFilePermissions.asFileAttribute(mode)};
    var channel = Files.newByteChannel(temporary, Set.of(CREATE_NEW, WRITE), attributes);
    unfinished = temporary;
    if (mode != null) {
      Files.setPosixFilePermissions(temporary, mode); // those that the umask has removed
    }
    return Channels.newOutputStream(channel);
  }

  /** Returns the mode of the file that will be replaced; null if there is none. */
  private static @Nullable Set<PosixFilePermission> mode(Path file) throws IOException {
    var view = Files.getFileAttributeView(file, PosixFileAttributeView.class);
    return view == null || !Files.exists(file) ? null : view.readAttributes().permissions();
  }

  private Failure cannotWrite(IOException e) {
    return Failure.cannotWrite(String.valueOf(file), e);
  }

  /** Returns how many lines it has. */
  synchronized long count() {
    return count + (last == terminator ? 0 : 1);
  }

  /** Gives the file its name, as there is no more. */
  synchronized void finish() throws Failure {
    if (isClosed) { // by a signal
      throw new Failure(Status.INTERRUPTED, null);
    }
    try {
      out().close();
      if (file != null && unfinished != null) {
        Files.move(unfinished, file, StandardCopyOption.ATOMIC_MOVE);
      }
      unfinished = null;
      isClosed = true;
    } catch (IOException e) {
      throw cannotWrite(e);
    }
  }

  /** Returns what there is to tell the user; empty if nothing is left. */
  String text() {
    String lines = count() + (count() == 1 ? " line is left" : " lines are left");
    return count() == 0 ? "" : lines + (file == null ? "" : " in " + file);
  }

  /** Drops what has not been finished: what was there before still is. */
  @Override
  public synchronized void close() {
    isClosed = true;
    try {
      if (unfinished != null) {
        Files.deleteIfExists(unfinished);
      }
      if (out != null) {
        out.close();
      }
    } catch (IOException remains) {
      // There is nothing more to do about it.
    }
  }
}
