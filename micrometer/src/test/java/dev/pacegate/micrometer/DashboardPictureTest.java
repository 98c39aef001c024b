package dev.pacegate.micrometer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** With {@code -Dpacegate.write=true} the picture is written, otherwise compared. */
@Tag("pages")
class DashboardPictureTest {

  private static Scrapes scrapes;

  @BeforeAll
  static void run() {
    scrapes = DashboardPicture.scrapes(Json.parse(text()));
  }

  @Test
  void theDashboardIsUpToDate() throws IOException {
    String svg = svg(text());
    Path file = Path.of("..", "docs", "pictures", "dashboard.svg");
    if (Boolean.getBoolean("pacegate.write")) {
      Files.writeString(file, svg);
    }
    assertEquals(
        svg,
        Files.readString(file),
        "write it: ./mvnw -pl micrometer -am test -Dtest=DashboardPictureTest -Dpacegate.write=true"
            + " -DfailIfNoTests=false -Dsurefire.failIfNoSpecifiedTests=false");
  }

  @Test
  void everyBottleneckComesAndIsNamed() {
    String svg = svg(text());
    for (String bottleneck :
        List.of("none", "our limit", "the service", "paused", "shared store")) {
      assertTrue(svg.contains("text-anchor=\"middle\">" + bottleneck + "<"), bottleneck);
    }
  }

  @Test
  void panelsAreDrawnAsTheFileDescribesThem() {
    String svg = svg(text());
    var changes =
        Map.of(
            "\"title\": \"Open permits\"", "\"title\": \"Permits\"",
            "\"unit\": \"reqps\"", "\"unit\": \"short\"",
            "\"y\": 38", "\"y\": 40",
            "\"color\": \"red\"", "\"color\": \"orange\"",
            "{{limiter}}, lost", "{{limiter}}, unknown",
            "rate(pacegate_permits_lost_total", "rate(pacegate_permits_late_total");
    changes.forEach((from, to) -> assertNotEquals(svg, svg(changed(from, to)), from));
  }

  @Test
  void panelsThatItCannotDrawAreRejected() {
    var changes = Map.of("\"timeseries\"", "\"gauge\"", "\"reqps\"", "\"furlongs\"");
    changes.forEach(
        (from, to) -> {
          String changed = changed(from, to);
          assertThrows(IllegalArgumentException.class, () -> svg(changed), from);
        });
  }

  private static String changed(String from, String to) {
    String text = text();
    assertTrue(text.contains(from), from);
    return text.replace(from, to);
  }

  private static String text() {
    try {
      return Files.readString(Path.of("dashboard.json"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String svg(String text) {
    return DashboardPicture.svg(Json.parse(text), scrapes);
  }
}
