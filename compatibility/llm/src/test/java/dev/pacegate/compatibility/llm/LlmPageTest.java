package dev.pacegate.compatibility.llm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.Limiter;
import dev.pacegate.limit.Cost;
import dev.pacegate.limit.Limits;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The code of {@code docs/llm.md} is that of this package, which the other tests run. */
@Tag("pages")
class LlmPageTest {

  private static final Path PAGE = Path.of("..", "..", "docs", "llm.md");
  private static final Path FOLDER =
      Path.of("src", "test", "java", "dev", "pacegate", "compatibility", "llm");
  private static final Pattern BLOCK = Pattern.compile("(?ms)^```java\n(.*?)^```");
  private static final Pattern LIMIT = Pattern.compile("`(peer\\([^`]*\\))`");

  private static List<String> found(Pattern pattern) throws IOException {
    return pattern
        .matcher(Files.readString(PAGE))
        .results()
        .map((MatchResult match) -> match.group(1))
        .toList();
  }

  /** In one line, as the column differs. */
  private static String line(String code) {
    return code.lines().map(String::strip).collect(Collectors.joining(" "));
  }

  @Test
  void everyBlockIsInASource() throws IOException {
    List<String> sources;
    try (Stream<Path> files = Files.list(FOLDER)) {
      sources = files.map(LlmPageTest::read).map(LlmPageTest::line).toList();
    }
    List<String> blocks = found(BLOCK);
    assertTrue(blocks.size() >= 7, () -> "only " + blocks);
    for (String block : blocks) {
      assertTrue(sources.stream().anyMatch(source -> source.contains(line(block))), block);
    }
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException unreadable) {
      throw new UncheckedIOException(unreadable);
    }
  }

  @Test
  void everyLimitIsOne() throws IOException {
    List<String> limits = found(LIMIT);
    assertTrue(limits.size() >= 5, () -> "only " + limits);
    for (String limit : limits) {
      assertEquals(Limits.parse(limit), Limits.parse(Limits.parse(limit).toString()), limit);
    }
  }

  @Test
  void modelsHaveLimitsOfTheirOwn() {
    Map<String, Limiter> limits =
        Map.of(
            "large", Limiter.of("peer(500/1m & 30000/1m of tokens)"),
            "small", Limiter.of("peer(500/1m & 200000/1m of tokens)"));
    assertTrue(limits.get("large").tryAcquire(Cost.of("tokens", 30_000)).isPresent());
    assertTrue(limits.get("large").tryAcquire(Cost.of("tokens", 1)).isEmpty());
    assertTrue(limits.get("small").tryAcquire(Cost.of("tokens", 200_000)).isPresent());
  }
}
