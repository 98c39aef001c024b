package dev.pacegate.simulator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.simulator.drawing.Pen;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.TreeSet;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The summary of the measured pages and their plots, which are made of the tables in them. With
 * {@code -Dpacegate.write=true} they are written, otherwise compared.
 */
@Tag("pages")
class MeasuredTest {

  @Test
  void theSummaryIsThatOfThePages() throws IOException {
    String summary = MeasuredSummary.page();
    long rows = summary.lines().filter(line -> line.startsWith("| ")).count() - 1;
    assertTrue(rows <= 13, "rows: " + rows);
    compare("README.md", summary);
  }

  @Test
  void thePlotsAreThoseOfThePages() throws IOException {
    comparePlot("speed", MeasuredCharts.calls());
    comparePlot("growth", MeasuredCharts.growth());
    comparePlot("streams", MeasuredCharts.streams());
    comparePlot("peers", MeasuredCharts.peers());
    comparePlot("cluster-numbers", MeasuredCharts.shared());
    comparePlot("cluster-keys-numbers", MeasuredCharts.keys());
  }

  /** The command that writes the page writes the reference to its plot. */
  private static void comparePlot(String page, String svg) throws IOException {
    TimelineTest.assertLiteral(Svg.read(svg));
    TimelineTest.assertTextFits(Svg.read(svg));
    compare(page + ".svg", svg);
    String text = Files.readString(MeasuredTable.FOLDER.resolve(page + ".md"));
    assertTrue(text.contains("](" + page + ".svg)"), page + ".md does not show " + page + ".svg");
  }

  private static void compare(String name, String wanted) throws IOException {
    Path file = MeasuredTable.FOLDER.resolve(name);
    if (Boolean.getBoolean("pacegate.write")) {
      Files.writeString(file, wanted);
    }
    assertEquals(
        wanted,
        Files.readString(file),
        "write it: ./mvnw -pl simulator -am test -Dtest=MeasuredTest -Dpacegate.write=true"
            + " -Dsurefire.failIfNoSpecifiedTests=false");
  }

  @Test
  void otherPagesSayWhatWasMeasured() throws IOException {
    MeasuredTable calls = MeasuredTable.read("speed.md", "# Speed, side by side");
    String plain = "about " + tens(calls.cell("Pacegate window", "ns")) + " ns";
    String peer = tens(calls.cell("Pacegate peer window", "ns")) + " ns with `peer`";
    assertSays("faq.md", plain + ", or " + peer);
    assertSays("how-it-works.md", plain);

    MeasuredTable late = MeasuredTable.read("benchmarks.md", "### How late tasks are");
    double micros = MeasuredTable.number(late.cell("Pacegate `WheelTimer`", "median us"));
    assertSays("faq.md", String.format(Locale.ROOT, "about %.2f ms after", micros / 1000));
  }

  private static long tens(String cell) {
    return 10 * Math.round(MeasuredTable.number(cell) / 10);
  }

  /** Each row of a replica follows the same without one. */
  @Test
  void thePageOfSharedLimitsSaysWhatAReplicaCosts() throws IOException {
    MeasuredTable all =
        MeasuredTable.read("cluster-numbers.md", "# One limit for many processes: figures");
    List<String> names = all.column("");
    List<String> permits = all.column("permits a CPU second of Redis");
    var fewer = new TreeSet<Long>();
    for (int i = 1; i < names.size(); i++) {
      if (names.get(i).equals(names.get(i - 1) + ", one replica")) {
        double with = MeasuredTable.number(permits.get(i));
        fewer.add(Math.round(100 - 100 * with / MeasuredTable.number(permits.get(i - 1))));
      }
    }
    assertSays("cluster.md", fewer.first() + " to " + fewer.last() + " % fewer permits");
  }

  private static void assertSays(String page, String words) throws IOException {
    String text = Files.readString(MeasuredTable.FOLDER.resolveSibling(page));
    assertTrue(text.contains(words), () -> page + " does not say: " + words);
  }

  @Test
  void numbersAreReadAsPagesWriteThem() {
    List<String> cells = List.of("1 000", "99.98 %", "8 of 10", "**3**", "115 ms", "100,000");
    assertEquals(
        List.of(1000.0, 99.98, 8.0, 3.0, 115.0, 100_000.0),
        cells.stream().map(MeasuredTable::number).toList());
  }

  @Test
  void aRowThatIsGoneIsMissed() throws IOException {
    MeasuredTable calls = MeasuredTable.read("speed.md", "# Speed, side by side");
    assertThrows(AssertionError.class, () -> calls.cell("Pacegate windows", "ns"));
    assertThrows(AssertionError.class, () -> calls.cell("Pacegate window", "worst ns"));
    assertThrows(AssertionError.class, () -> MeasuredTable.read("speed.md", "# No speed"));
  }

  @Test
  void aBarAboveTheBoundStandsOut() {
    var chart = new BarChart("title", "unit").bound(10, "10");
    chart.add("Pacegate", "10");
    chart.add("other", "11");
    chart.add("another", "9");
    Svg svg = Svg.read(chart.svg());
    assertEquals(2, svg.all(Pen.REJECTED_BAR).size()); // one of them explains the colour
    assertEquals(2, svg.all(Pen.ACCEPTED).size());
    assertEquals(2, svg.all(Pen.STARTED).size());
  }
}
