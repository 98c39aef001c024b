package dev.pacegate.compatibility;

import static java.util.Objects.requireNonNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The code of {@code docs/recipes.md} that is marked with a client's name is that of its class. */
@Tag("pages")
class RecipePageTest {

  private static final Path PAGE = Path.of("..", "docs", "recipes.md");
  private static final Path FOLDER =
      Path.of("src", "test", "java", "dev", "pacegate", "compatibility");

  @ParameterizedTest
  @CsvSource({"jetty, JettyRecipe", "vertx, VertxRecipe", "jdbc, JdbcRecipe"})
  void theCodeIsThatOfTheClassThatIsTested(String name, String type) throws IOException {
    String page = Files.readString(PAGE);
    Matcher block = Pattern.compile("(?ms)^```java " + name + "\n(.*?)^```").matcher(page);
    assertTrue(block.find(), name);
    String source = Files.readString(FOLDER.resolve(type + ".java"));
    String code = requireNonNull(block.group(1));
    assertTrue(source.contains(code.indent(2).replaceAll("(?m)^ +$", "")), code);
  }
}
