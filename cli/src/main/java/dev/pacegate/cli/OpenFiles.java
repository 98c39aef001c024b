package dev.pacegate.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Files that this process writes to already. To replace one would lose what it has written. */
final class OpenFiles {

  private static final int MOST_LINKS = 40;

  private OpenFiles() {}

  /** Refuses a file that is standard output or error, or named by a descriptor: /dev/fd/3. */
  static void refuse(String option, Path file) throws Failure {
    if (isDescriptor(file) || isSame(file, "/dev/fd/1") || isSame(file, "/dev/fd/2")) {
      throw new Failure(option + " " + file + " would spoil what is written there: it is open");
    }
  }

  private static boolean isSame(Path file, String descriptor) {
    try {
      Path open = Path.of(descriptor);
      return Files.isRegularFile(open) && Files.isSameFile(file, open);
    } catch (IOException missing) {
      return false;
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
