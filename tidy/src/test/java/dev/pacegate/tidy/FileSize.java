package dev.pacegate.tidy;

import java.util.ArrayList;
import java.util.List;

/**
 * No file of core has more to read than one sitting, and its first package holds only what users
 * type.
 */
final class FileSize {

  static final int MOST_LINES = 500;
  static final int MOST_CODE = 350;
  static final int MOST_FILES_OF_ROOT = 32;

  private static final String ROOT = "core/src/main/java/dev/pacegate/";

  private FileSize() {}

  static List<String> judge(Sources sources) {
    var red = new ArrayList<String>();
    int inRoot = 0;
    for (SourceFile file : sources.java()) {
      if (file.path().startsWith(ROOT)) {
        inRoot += file.path().indexOf('/', ROOT.length()) < 0 ? 1 : 0;
        List<String> lines = file.text().lines().toList();
        long code = code(lines);
        if (lines.size() > MOST_LINES && code > MOST_CODE) {
          red.add(
              (file.path() + ":1: " + lines.size() + " lines, " + code + " of code: split it, ")
                  + (MOST_LINES + " and " + MOST_CODE + " are allowed"));
        }
      }
    }
    if (inRoot > MOST_FILES_OF_ROOT) {
      red.add(
          (ROOT + "package-info.java:1: " + inRoot + " files: move some to another package, ")
              + (MOST_FILES_OF_ROOT + " are allowed"));
    }
    return red;
  }

  /** Counts lines that are no comment, blank, import or lone bracket. */
  private static long code(List<String> lines) {
    return lines.stream()
        .map(String::strip)
        .filter(line -> !line.matches("[{}();,]*"))
        .filter(line -> !line.matches("(\\*|/\\*|//|import |package ).*"))
        .count();
  }
}
