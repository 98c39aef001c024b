package dev.pacegate.micrometer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class QueryTest {

  private static final long BASE = 1_700_000_000; // any instant that Prometheus accepts
  private static final List<Long> INSTANTS = List.of(120L, 420L, 780L, 1185L, 1620L, 1920L);

  @Test
  void aCounterThatBeganAnewHasRisenFromZero() {
    var scrapes = new Scrapes();
    scrapes.add(0, "requests_total{key=\"a\"} 10\n");
    scrapes.add(15, "requests_total{key=\"a\"} 25\n");
    scrapes.add(30, "requests_total{key=\"a\"} 3\n");
    assertEquals(
        Map.of(Map.of("key", "a"), 18.0 / 30),
        Query.at(30, "rate(requests_total{key=~\".*\"}[60s])", scrapes));
  }

  @Test
  void unknownQueriesAreRejected() {
    var scrapes = new Scrapes();
    for (String unknown : List.of("a - b", "sum(a)", "rate(a[60s]", "a ^ b", "a unless b")) {
      assertThrows(RuntimeException.class, () -> Query.at(0, unknown, scrapes), unknown);
    }
  }

  @Test
  @Tag("servers")
  void everyQueryOfTheDashboardHasTheValuesThatPrometheusComputes(@TempDir Path folder)
      throws Exception {
    Json dashboard = Json.parse(Files.readString(Path.of("dashboard.json")));
    Scrapes scrapes = DashboardPicture.scrapes(dashboard);
    fill(folder, scrapes);
    int compared = 0;
    try (var prometheus = new Prometheus(folder)) {
      for (Panel panel : Panel.all(dashboard)) {
        for (String query : panel.queries()) {
          for (long instant : INSTANTS) {
            compared +=
                compare(
                    query + " at " + instant,
                    prometheus.query(query, BASE + instant),
                    Query.at(instant, query, scrapes));
          }
        }
      }
    }
    assertTrue(compared > 100, () -> "too few values to tell");
  }

  /** Returns how many values it has compared. */
  private static int compare(
      String what,
      Map<Map<String, String>, Double> expected,
      Map<Map<String, String>, Double> found) {
    assertEquals(expected.keySet(), found.keySet(), what);
    expected.forEach(
        (labels, value) -> {
          double delta = Double.isNaN(value) ? 1 : Math.abs(value) * 1e-9 + 1e-12;
          assertEquals(value, found.getOrDefault(labels, 1e300), delta, what);
        });
    return expected.size();
  }

  private static void fill(Path folder, Scrapes scrapes) throws Exception {
    Files.writeString(folder.resolve("scrapes.txt"), text(scrapes));
    Process tool =
        new ProcessBuilder(
                "promtool", "tsdb", "create-blocks-from", "openmetrics", "scrapes.txt", "data")
            .directory(folder.toFile())
            .redirectErrorStream(true)
            .start();
    String output = new String(tool.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    if (tool.waitFor() != 0) {
      throw new IOException(output);
    }
  }

  private static String text(Scrapes scrapes) {
    var text = new StringBuilder();
    scrapes
        .values()
        .forEach(
            (series, values) -> {
              String labels =
                  series.labels().entrySet().stream()
                      .map(label -> label.getKey() + "=\"" + label.getValue() + "\"")
                      .collect(Collectors.joining(",", "{", "}"));
              values.forEach(
                  (second, value) -> {
                    text.append(series.name()).append(labels).append(' ');
                    text.append(value).append(' ').append(BASE + second).append('\n');
                  });
            });
    return text + "# EOF\n";
  }
}
