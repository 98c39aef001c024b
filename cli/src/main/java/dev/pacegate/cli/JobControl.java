package dev.pacegate.cli;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** What a shell does with its jobs: one has the terminal, the others are in the background. */
final class JobControl {

  private static final Path STAT = Path.of("/proc/self/stat");
  private static final int GROUP = 3; // counted from the end of the name on: see proc(5)
  private static final int FOREGROUND_GROUP = 6;
  private static final String NO_TERMINAL = "-1"; // that controls it, such as after setsid(1)

  private JobControl() {}

  /** Returns whether this process has the terminal; true where the system does not tell. */
  static boolean isForeground() {
    try {
      return isForeground(Files.readString(STAT, ISO_8859_1));
    } catch (IOException unknown) {
      return true;
    }
  }

  static boolean isForeground(String stat) {
    String behindName = stat.substring(stat.lastIndexOf(')') + 1); // which may contain anything
    String[] fields = behindName.split(" ", -1);
    if (fields.length <= FOREGROUND_GROUP || fields[FOREGROUND_GROUP].equals(NO_TERMINAL)) {
      return true;
    }
    return fields[GROUP].equals(fields[FOREGROUND_GROUP]);
  }
}
