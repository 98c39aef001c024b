package dev.pacegate.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.limit.LimitFormatException;
import dev.pacegate.limit.Limits;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What the documents name is there: files, sections, limits. */
class DocumentsTest {

  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
  private static final Pattern LINK = Pattern.compile("]\\(([^)\\s]+)\\)");
  private static final Pattern FENCED = Pattern.compile("(?ms)^```.*?^```");
  private static final Pattern NAMED_TEST = Pattern.compile("`(\\w+Test\\.\\w+)");
  private static final Pattern HEADING = Pattern.compile("(?m)^#+ (.*)$");
  private static final Pattern CODE = Pattern.compile("`([^`\\n]+)`");
  private static final Pattern LIMIT =
      Pattern.compile(
          "\\d[\\d_]*/\\S.*|(peer|starts|bucket|spacing|warmup|fixed|aligned|concurrent)\\(.*\\)");

  private static List<Path> documents() throws IOException {
    try (Stream<Path> top = Files.list(ROOT);
        Stream<Path> docs = Files.list(ROOT.resolve("docs"))) {
      return Stream.concat(top, docs).filter(file -> file.toString().endsWith(".md")).toList();
    }
  }

  @ParameterizedTest
  @MethodSource("documents")
  void everyLinkLeadsSomewhere(Path document) throws IOException {
    var broken = new TreeSet<String>();
    String prose = FENCED.matcher(Files.readString(document)).replaceAll("");
    for (String link : matches(LINK, prose)) {
      if (!link.startsWith("http") && !leadsSomewhere(document, link)) {
        broken.add(link);
      }
    }
    assertEquals(Set.of(), broken);
  }

  private static boolean leadsSomewhere(Path document, String link) throws IOException {
    String[] parts = link.split("#", 2);
    Path file = parts[0].isEmpty() ? document : document.resolveSibling(parts[0]).normalize();
    if (!Files.exists(file) || !file.startsWith(ROOT)) {
      return false;
    }
    return parts.length == 1
        || matches(HEADING, Files.readString(file)).stream()
            .map(DocumentsTest::anchor)
            .anyMatch(parts[1]::equals);
  }

  private static String anchor(String heading) {
    return heading.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9 -]", "").replace(' ', '-');
  }

  @Test
  void everyLimitCanBeRead() throws IOException {
    for (String name : List.of("docs/choosing.md", "docs/guarantees.md")) {
      var wrong = new ArrayList<String>();
      int limits = 0;
      for (String code : matches(CODE, Files.readString(ROOT.resolve(name)))) {
        if (LIMIT.matcher(code).matches()) {
          limits++;
          try {
            var unused = Limits.parse(code);
          } catch (LimitFormatException e) {
            wrong.add(String.valueOf(e.getMessage()));
          }
        }
      }
      assertTrue(limits > 10, name + " has " + limits);
      assertEquals(List.of(), wrong, name);
    }
  }

  @Test
  void everyTestThatIsNamedIsThere() throws IOException {
    List<String> named = matches(NAMED_TEST, Files.readString(ROOT.resolve("docs/pekko.md")));
    assertTrue(named.size() > 10, () -> "only " + named);
    var missing = new ArrayList<String>();
    for (String test : named) {
      String[] parts = test.split("\\.", 2);
      Path file = ROOT.resolve("pekko/src/test/java/dev/pacegate/pekko/" + parts[0] + ".java");
      if (!Files.exists(file) || !Files.readString(file).contains("void " + parts[1])) {
        missing.add(test);
      }
    }
    assertEquals(List.of(), missing);
  }

  @Test
  void everyScenarioIsToldOf() throws IOException {
    String guarantees = Files.readString(ROOT.resolve("docs/guarantees.md"));
    try (Stream<Path> scenarios = Files.list(ROOT.resolve("simulator/scenarios"))) {
      List<String> untold =
          scenarios
              .map(file -> "scenarios/" + file.getFileName())
              .filter(scenario -> !guarantees.contains(scenario))
              .toList();
      assertEquals(List.of(), untold);
    }
  }

  @Test
  void whatIsMissingIsFound() throws IOException {
    Path readme = ROOT.resolve("README.md");
    assertTrue(leadsSomewhere(readme, "docs/guarantees.md#what-counts"));
    assertFalse(leadsSomewhere(readme, "docs/guarantees.md#what-does-not-count"));
    assertFalse(leadsSomewhere(readme, "docs/no-such.md"));
  }

  private static List<String> matches(Pattern pattern, String text) {
    return pattern.matcher(text).results().map((MatchResult match) -> match.group(1)).toList();
  }
}
