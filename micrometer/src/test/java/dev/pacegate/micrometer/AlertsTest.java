package dev.pacegate.micrometer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Prometheus' own tool judges alerts.yml by made-up figures. */
class AlertsTest {

  private static final Path ALERTS = Path.of("alerts.yml");
  private static final Path CASES = Path.of("src/test/resources/alerts-test.yml");
  private static final Pattern FIGURE = Pattern.compile("\\bpacegate_\\w+");

  @Test
  @Tag("servers")
  void eachAlertFiresForItsFaultAndForNoOther(@TempDir Path folder) throws Exception {
    Files.copy(ALERTS, folder.resolve("alerts.yml"));
    Files.copy(CASES, folder.resolve("cases.yml"));
    Process tool =
        new ProcessBuilder("promtool", "test", "rules", "cases.yml")
            .directory(folder.toFile())
            .redirectErrorStream(true)
            .start();
    String output = new String(tool.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertEquals(0, tool.waitFor(), output);
    assertTrue(output.contains("SUCCESS"), output);
  }

  @Test
  void everyFigureOfAnAlertIsOnTheDashboard() throws Exception {
    String dashboard = Files.readString(Path.of("dashboard.json"));
    var unknown = new TreeSet<String>();
    FIGURE
        .matcher(Files.readString(ALERTS))
        .results()
        .map(found -> found.group())
        .filter(figure -> !dashboard.contains(figure))
        .forEach(unknown::add);
    assertTrue(unknown.isEmpty(), unknown::toString);
  }
}
