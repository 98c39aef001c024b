package dev.pacegate.simulator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.simulator.drawing.Pen;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
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
    assertTrue(rows <= 12, "rows: " + rows);
    compare("README.md", summary);
  }

  @Test
  void thePlotsAreThoseOfThePages() throws IOException {
    comparePlot("benchmarks", MeasuredCharts.calls());
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
  void numbersAreReadAsPagesWriteThem() {
    List<String> cells = List.of("1 000", "99.98 %", "8 of 10", "**3**", "115 ms", "100,000");
    assertEquals(
        List.of(1000.0, 99.98, 8.0, 3.0, 115.0, 100_000.0),
        cells.stream().map(MeasuredTable::number).toList());
  }

  @Test
  void aRowThatIsGoneIsMissed() throws IOException {
    MeasuredTable calls = MeasuredTable.read("benchmarks.md", "### One thread");
    assertThrows(AssertionError.class, () -> calls.cell("Pacegate windows", "best ns"));
    assertThrows(AssertionError.class, () -> calls.cell("Pacegate window", "worst ns"));
    assertThrows(AssertionError.class, () -> MeasuredTable.read("benchmarks.md", "### No thread"));
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
