package dev.pacegate.examples.recipes;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The code of {@code docs/recipes.md} is that of this package, line by line. */
@Tag("pages")
class RecipesPageTest {

  private static final Path PAGE = Path.of("..", "docs", "recipes.md");
  private static final Path FOLDER = Path.of("java", "dev", "pacegate", "examples", "recipes");
  private static final Pattern BLOCK = Pattern.compile("(?ms)^```java\n(.*?)^```");
  private static final Set<String> NOT_ON_THE_PAGE = Set.of("Api", "package-info");

  @Test
  void everyBlockIsInASource() throws IOException {
    List<String> sources = new ArrayList<>();
    for (String set : List.of("main", "test")) {
      for (Path file : files(set)) {
        sources.add(Files.readString(file));
      }
    }
    List<String> blocks = blocks();
    assertTrue(blocks.size() > 12, () -> "only " + blocks);
    for (String block : blocks) {
      assertTrue(sources.stream().anyMatch(source -> contains(source, block)), block);
    }
  }

  @Test
  void everyRecipeIsOnThePage() throws IOException {
    var missing = new TreeSet<String>();
    for (Path file : files("main")) {
      String source = Files.readString(file);
      String name = file.getFileName().toString().replace(".java", "");
      if (blocks().stream().noneMatch(block -> contains(source, block))) {
        missing.add(name);
      }
    }
    assertEquals(new TreeSet<>(NOT_ON_THE_PAGE), missing);
  }

  private static List<Path> files(String set) throws IOException {
    try (Stream<Path> files = Files.list(Path.of("src", set).resolve(FOLDER))) {
      return files.toList();
    }
  }

  private static List<String> blocks() throws IOException {
    return BLOCK
        .matcher(Files.readString(PAGE))
        .results()
        .map((MatchResult match) -> match.group(1))
        .toList();
  }

  /** Whether the block stands in the source, in any column. */
  private static boolean contains(String source, String block) {
    for (int column = 0; column <= 4; column += 2) {
      if (source.contains(
          block
              .indent(column)
              .lines()
              .map(RecipesPageTest::stripped)
              .collect(Collectors.joining("\n")))) {
        return true;
      }
    }
    return false;
  }

  private static String stripped(String line) {
    return line.isBlank() ? "" : line;
  }
}
