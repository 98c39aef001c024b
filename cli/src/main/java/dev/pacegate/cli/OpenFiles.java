package dev.pacegate.cli;

import static java.util.Objects.requireNonNullElse;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Files that this process writes to already. To replace one would lose what it has written. */
final class OpenFiles {

  private static final int MOST_LINKS = 40;

  private OpenFiles() {}

  /**
   * Refuses a file that standard output or error goes to, or any that is named by a descriptor to
   * which others may write: /dev/fd/3.
   */
  static void refuse(String option, Path file) throws Failure {
    boolean isOutput = isAt(1, file) || isAt(2, file);
    if (isOutput || (isDescriptor(file) && !isAt(0, file))) {
      throw new Failure(option + " " + file + " would spoil what is written there: it is open");
    }
  }

  private static boolean isAt(int descriptor, Path file) {
    try {
      Path open = Path.of("/dev/fd/" + descriptor);
      return Files.isRegularFile(open) && Files.isSameFile(file, open);
    } catch (IOException missing) {
      return false;
    }
  }

  /** Returns whether two paths are of one file, which may not be there yet. */
  static boolean isSame(Path one, Path other) {
    try {
      return Files.isSameFile(one, other);
    } catch (IOException missing) {
      return inRealFolder(one).equals(inRealFolder(other));
    }
  }

  private static Path inRealFolder(Path file) {
    Path absolute = file.toAbsolutePath();
    try {
      Path name = requireNonNullElse(absolute.getFileName(), absolute);
      return absolute.resolveSibling(".").toRealPath().resolve(name);
    } catch (IOException missing) {
      return absolute.normalize();
    }
  }

  /** Follows links, such as /dev/stdout, up to one that is a descriptor of a process. */
  private static boolean isDescriptor(Path file) {
    try {
      Path at = file.toAbsolutePath();
      for (int link = 0; link < MOST_LINKS && Files.isSymbolicLink(at); link++) {
        Path folder = at.resolveSibling(".").toRealPath();
        if (folder.startsWith("/proc")) {
          return true;
        }
        at = folder.resolve(Files.readSymbolicLink(at));
      }
      return false;
    } catch (IOException missing) {
      return false;
    }
  }
}
