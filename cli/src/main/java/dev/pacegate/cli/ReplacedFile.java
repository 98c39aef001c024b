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

/** A file that is replaced at once: what is new is written beside it, until it is whole. */
final class ReplacedFile {

  private final Path file;
  private @Nullable Path unfinished;

  private ReplacedFile(Path file) {
    this.file = file;
  }

  /**
   * Checks what can be checked before the work, and changes nothing.
   *
   * @param inUse files that the command reads or writes, which are not to be replaced
   */
  static ReplacedFile of(String option, String name, @Nullable Path... inUse) throws Failure {
    try {
      var file = new ReplacedFile(target(name));
      OpenFiles.refuse(option, Path.of(name));
      for (Path other : inUse) {
        if (other != null && file.is(other)) {
          throw new Failure(option + "=" + name + " would replace " + other + ", which is in use");
        }
      }
      return file;
    } catch (IOException e) {
      throw Failure.cannotOpen(name, e);
    } catch (InvalidPathException e) {
      throw new Failure("cannot write " + name + " (" + e.getReason() + ")");
    }
  }

  private static Path target(String name) throws IOException, Failure {
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
  }

  /** Returns whether {@code other} is this file; it may not be there yet. */
  boolean is(Path other) {
    return OpenFiles.isSame(file, other);
  }

  /** Creates what will replace the file. */
  OutputStream create() throws IOException {
    Set<PosixFilePermission> mode = mode();
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
    return new BufferedOutputStream(Channels.newOutputStream(channel));
  }

  /** Returns the mode of the file that will be replaced; null if there is none. */
  private @Nullable Set<PosixFilePermission> mode() throws IOException {
    var view = Files.getFileAttributeView(file, PosixFileAttributeView.class);
    return view == null || !Files.exists(file) ? null : view.readAttributes().permissions();
  }

  /** Replaces the file by {@code content}. */
  void write(byte[] content) throws IOException {
    try {
      try (OutputStream out = create()) {
        out.write(content);
      }
      replace();
    } finally {
      drop();
    }
  }

  /** Replaces the file, if anything was created, which must be closed. */
  void replace() throws IOException {
    if (unfinished != null) {
      Files.move(unfinished, file, StandardCopyOption.ATOMIC_MOVE);
    }
    unfinished = null;
  }

  /** Drops what has not replaced the file. */
  void drop() throws IOException {
    if (unfinished != null) {
      Files.deleteIfExists(unfinished);
    }
  }

  @Override
  public String toString() {
    return file.toString();
  }
}
