package dev.pacegate.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Command lines that are wrong, each with its status and how the message begins: one line in words
 * of a shell, and nothing is printed.
 */
@DisabledOnOs(OS.WINDOWS) // which has other files
class BadCommandLinesTest {

  /** Returns the rows of the table: status, command line and message, by tabs. */
  static List<String> rows() throws IOException {
    try (var in = BadCommandLinesTest.class.getResourceAsStream("/bad-command-lines.txt")) {
      return new String(requireNonNull(in).readAllBytes(), UTF_8).lines().toList();
    }
  }

  @ParameterizedTest
  @MethodSource("rows")
  @Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
  void tellsInOneLineOfPlainWordsWhatIsWrong(String row) {
    String[] columns = row.split("\t", 3);
    var session = Session.given("1\n").inRealTime().run(words(columns[1]));
    String message = session.err();
    assertTrue(message.startsWith("pacegate: " + columns[2]), message);
    assertEquals(Integer.parseInt(columns[0]), session.status());
    assertEquals(1, message.lines().count(), message);
    assertTrue(message.length() < 1_100, message);
    assertEquals("", session.out());
    for (String word : List.of("java.", "Exception", "Missing required", "Invalid value")) {
      assertTrue(!message.contains(word), message);
    }
  }

  @Test
  void theTableIsLong() throws IOException {
    assertTrue(rows().size() >= 250);
  }

  /** Splits at blanks, but not within parentheses. */
  private static String[] words(String line) {
    var words = new ArrayList<String>();
    var word = new StringBuilder();
    int depth = 0;
    for (int at = 0; at < line.length(); at++) {
      char c = line.charAt(at);
      depth += c == '(' ? 1 : c == ')' ? -1 : 0;
      if (c == ' ' && depth == 0) {
        words.add(word.toString());
        word.setLength(0);
      } else {
        word.append(c);
      }
    }
    words.add(word.toString());
    return words.toArray(String[]::new);
  }
}
