package dev.pacegate.micrometer;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.pacegate.KeyedLimiter;
import dev.pacegate.Limiter;
import dev.pacegate.dispatch.ThrottledExecutorService;
import dev.pacegate.dispatch.Throttler;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The README lists every figure, with its type. */
@Tag("pages")
class FiguresTableTest {

  private static final Pattern ROW = Pattern.compile("(?m)^\\| `(pacegate\\.[a-z.]+)` \\| (\\w+) ");

  @Test
  void theReadmeListsEveryFigure() throws IOException {
    var listed =
        ROW.matcher(Files.readString(Path.of("README.md")))
            .results()
            .map((MatchResult row) -> row.group(1) + " " + row.group(2))
            .collect(Collectors.toCollection(TreeSet::new));
    assertEquals(figures(), listed);
  }

  private static Set<String> figures() {
    var registry = new SimpleMeterRegistry();
    Limiter limiter = Limiter.of("10/1m");
    LimiterMetrics.of(KeyedLimiter.<String>of("10/1m"), List.of("a")).bindTo(registry);
    LimiterMetrics.of("mail", Throttler.builder(limiter).build()).bindTo(registry);
    LimiterMetrics.of("jobs", ThrottledExecutorService.of(limiter, Runnable::run)).bindTo(registry);
    return registry.getMeters().stream()
        .map(Meter::getId)
        .map(id -> id.getName() + " " + id.getType().name().toLowerCase(Locale.ROOT))
        .collect(Collectors.toCollection(TreeSet::new));
  }
}
