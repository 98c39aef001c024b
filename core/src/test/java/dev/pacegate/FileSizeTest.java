package dev.pacegate;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** No file has more to read than one sitting, and the first package holds only what users type. */
class FileSizeTest {

  private static final Path MAIN = Path.of("src", "main", "java", "dev", "pacegate");
  private static final int MOST_FILES_OF_ROOT = 32;
  private static final int MOST_LINES = 500;
  private static final int MOST_CODE = 350;

  @Test
  void noFileIsLong() throws IOException {
    var tooLong = new ArrayList<String>();
    try (var files = Files.walk(MAIN)) {
      for (Path file : files.filter(path -> path.toString().endsWith(".java")).toList()) {
        List<String> lines = Files.readAllLines(file);
        long code = code(lines);
        if (lines.size() > MOST_LINES && code > MOST_CODE) {
          tooLong.add(file + ": " + lines.size() + " lines, " + code + " of code");
        }
      }
    }
    assertEquals(List.of(), tooLong);
  }

  @Test
  void theFirstPackageIsSmallAndPublic() throws IOException {
    try (var files = Files.list(MAIN)) {
      List<Path> types = files.filter(path -> path.toString().endsWith(".java")).toList();
      assertTrue(types.size() <= MOST_FILES_OF_ROOT, () -> types.size() + " files");
    }
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
