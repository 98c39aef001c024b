package dev.pacegate.simulator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.simulator.drawing.Pen;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.w3c.dom.Element;

/** Drawings: that they are SVG, and show what is to be seen. */
class TimelineTest {

  @Test
  void showsTheWindowThatIsTooFull() {
    SimulationResult outcome = Worlds.run("10/1s", "fixed(10/1s, phase=40ms)", "sends", "500");
    Svg svg = Svg.of(outcome);
    assertTrue(svg.texts(Pen.COUNT_BROKEN).contains(outcome.worst().toString()), svg.text);
    assertEquals(1, svg.all(Pen.FULLEST_BROKEN).size());
    assertEquals(outcome.worst().most(), svg.all(Pen.WAY_BROKEN).size());
    assertTrue(svg.paragraph(Pen.CAPTION).startsWith("The API counts"), svg.text);
  }

  @Test
  void showsTheFullestWindowIfNoneIsTooFull() {
    Svg svg = Svg.of(Worlds.run("peer(10/1s)", "fixed(10/1s)", "sends", "500"));
    assertEquals(List.of("10 of 10"), svg.texts(Pen.COUNT_KEPT));
    assertEquals(
        "The API never counts more than 10 in a window of 1 s; it allows 10.",
        svg.paragraph(Pen.CAPTION));
    assertEquals(1, svg.all(Pen.REJECTED).size(), "in the legend only");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "bucket(10/1s, burst=5)|bucket(10/1s, burst=5)|The API's bucket holds 5; what comes",
        "bucket(10/1s, burst=5)|gcra(10/1s, burst=5)|The API's bucket holds 5; what comes",
        "peer(10/1s)|estimated(10/1s, phase=0s)|The API estimates",
        "peer(5/1s)|estimated(10/1s, phase=0s)|The API never estimates more than",
        "spacing(100ms)|spacing(100ms)|Two requests reach the API",
        "concurrent(9)|concurrent(3)|The API is at work on 9 at once and allows 3.",
        "concurrent(3)|concurrent(3)|The API never works on more than 3 at once; it allows 3.",
        "peer(spacing(1s))|spacing(1s)|No two requests ever reach the API less than 1 s apart.",
        "10/1s|aligned(10/1s)|The API",
        "fixed(10/1s)|sliding(10/1s)|The API counts",
      })
  void saysInASentenceWhatIsSeen(String limit, String peer, String beginning) {
    SimulationResult outcome =
        Worlds.run(
            limit, peer, "sends", "2000", "work", "100ms", "demand", "loop(30)", "refuses", "no");
    String caption = Svg.of(outcome).paragraph(Pen.CAPTION);
    assertTrue(caption.startsWith(beginning), caption);
    assertTrue(caption.endsWith("."), caption);
  }

  /** The network is no cause if the program itself sends too much, or the clock is. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "concurrent(9)|concurrent(3)|work=100ms|The program itself had 9 open.",
        "concurrent(3)|concurrent(3)|work=100ms, timeout=50ms|took some for ended that were not.",
        "bucket(20/1s, burst=9)|bucket(10/1s, burst=9)|work=1ms|As the program started them, they need",
        "bucket(10/1s, burst=9)|bucket(10/1s, burst=9)|delay=1ms..90ms|catch up with each other on their way.",
        "bucket(10/1s, burst=9)|bucket(10/1s, burst=9)|delay=1ms, clock-error=-5%|or its clock is slow",
        "20/1s|sliding(10/1s)|delay=1ms|The program itself started 20 within 1 s.",
        "10/1s|sliding(10/1s)|delay=1ms..90ms|some took longer than those behind them.",
        "10/1s|sliding(10/1s)|delay=1ms, clock-error=-5%|or its clock is slow or coarse.",
        "10/1s|sliding(10/1s)|delay=1ms, clock-grain=300ms|or its clock is slow or coarse.",
        "10/1s|sliding(10/1s)|delay=1ms..90ms, clock-error=1%|some took longer than those behind them.",
      })
  void tellsTheTrueCause(String limit, String peer, String world, String cause) {
    var pairs = new ArrayList<>(List.of("sends", "2000"));
    for (String pair : world.split(", ", -1)) {
      pairs.addAll(List.of(pair.split("=", -1)));
    }
    String caption =
        Svg.of(Worlds.run(limit, peer, pairs.toArray(String[]::new))).paragraph(Pen.CAPTION);
    assertTrue(caption.contains(cause), caption);
  }

  @Test
  void oneRequestHasReachedTheApi() {
    Svg svg = Svg.of(Worlds.run("spacing(1s)", "spacing(1s)", "sends", "1"));
    assertEquals(
        "No two requests ever reach the API less than 1 s apart.", svg.paragraph(Pen.CAPTION));
  }

  /** They are in no window, also in none that began before the run. */
  @Test
  void aWindowHasNoRequestsThatWereLost() {
    Svg svg =
        Svg.of(Worlds.run("10/1s", "fixed(10/1s, phase=900ms)", "sends", "40", "lost", "50%"));
    assertTrue(svg.all(Pen.WINDOW_OVERFULL).isEmpty(), svg.text);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "10/1s|sliding(10/1s)|yes|You limit to 10/s; the API still rejects \\d+ of 2000",
        "10/1200ms|sliding(10/1s)|yes|You limit to 10/1200ms; the API .*rejects .* of 2000",
        "peer(10/1s)|sliding(10/1s)|yes|With peer\\(10/1s\\), the API rejects none of 2000",
        "10/1s|sliding(10/1s)|no|You limit to 10/s; the API still counts \\d+ of 2000 as too many",
        "peer(10/1s)|sliding(10/1s)|no|With .*, the API counts none of 2000 as too many",
      })
  void hasATitleInPlainEnglish(String limit, String peer, String refuses, String title) {
    Svg svg = Svg.of(Worlds.run(limit, peer, "sends", "2000", "refuses", refuses));
    assertTrue(svg.paragraph(Pen.TITLE).matches(title), svg.paragraph(Pen.TITLE));
  }

  @Test
  void aGapIsNamedWithTheOneThatIsWanted() {
    Svg broken = Svg.of(Worlds.run("spacing(100ms)", "spacing(100ms)", "sends", "2000"));
    String label = broken.paragraph(Pen.COUNT_BROKEN);
    assertTrue(label.matches("gap [\\d.]+ ms \\(at least 100 ms wanted\\)"), label);
    Svg kept = Svg.of(Worlds.run("peer(spacing(100ms))", "spacing(100ms)", "sends", "2000"));
    label = kept.paragraph(Pen.COUNT_KEPT);
    assertTrue(label.matches("gap [\\d.]+ ms \\(at least 100 ms wanted\\)"), label);
  }

  /** The world is the same, so the eye compares what the limit makes of it. */
  @Test
  void aRunWithoutARefusalIsShownWhereTheOtherWasRefused() {
    SimulationResult red = Worlds.run("10/1s", "sliding(10/1s)", "sends", "2000");
    SimulationResult green = Worlds.run("peer(10/1s)", "sliding(10/1s)", "sends", "2000");
    List<String> times = times(Svg.of(red));
    assertEquals(times, times(Svg.read(Timeline.svg(green, red))));
    assertFalse(times.equals(times(Svg.of(green))), "the middle by itself");
  }

  private static List<String> times(Svg svg) {
    return svg.texts(Pen.LABEL).stream().filter(label -> label.matches("[\\d.]+ s")).toList();
  }

  @Test
  void tooManyRequestsToTellApartAreBars() {
    SimulationResult few = Worlds.run("10/1s", "sliding(10/1s)", "sends", "2000");
    assertTrue(Svg.of(few).all(Pen.REJECTED_BAR).isEmpty());
    SimulationResult many = Worlds.run("100/1s", "sliding(100/1s)", "sends", "9000");
    Svg bars = Svg.of(many);
    assertTrue(bars.all(Pen.WAY).isEmpty());
    assertTrue(bars.all(Pen.REJECTED_BAR).size() > 1, bars.text);
    assertTrue(bars.elements.size() < 400, () -> bars.elements.size() + " elements");
  }

  @TestFactory
  Stream<DynamicTest> everyScenarioIsDrawnForEveryRenderer() {
    return Scenarios.names().stream()
        .map(name -> DynamicTest.dynamicTest(name, () -> checkDrawings(Scenarios.named(name))));
  }

  private static void checkDrawings(Study study) {
    var heads = new HashSet<String>();
    for (Study.Run run : study.runs()) {
      SimulationResult outcome = Simulation.run(Worlds.shorter(run.scenario(), 2000));
      Svg svg = Svg.of(outcome);
      assertLiteral(svg);
      assertTextFits(svg);
      assertTelling(svg);
      String head = svg.paragraph(Pen.TITLE) + "\n" + svg.paragraph(Pen.FACTS);
      assertTrue(heads.add(head), () -> "two alike:\n" + head);
    }
  }

  /** Colours that no style sheet has to tell; the one there is only replaces them in the dark. */
  static void assertLiteral(Svg svg) {
    assertFalse(svg.text.contains("var("), svg.text);
    for (Element element : svg.elements) {
      if (element.hasAttribute("class")) {
        String colours = element.getAttribute("fill") + " " + element.getAttribute("stroke");
        assertTrue(colours.matches("(?=.*#)(none|#[0-9a-f]{6}) (#[0-9a-f]{6})?"), colours);
      }
    }
    int begin = svg.text.indexOf("<style>") + "<style>".length();
    String style = svg.text.substring(begin, svg.text.indexOf("</style>")).strip();
    assertTrue(style.startsWith("@media (prefers-color-scheme: dark) {"), style);
    assertEquals(style.length() - 1, style.lastIndexOf("}\n}") + 2, "nothing after it");
    for (Pen pen : Pen.values()) {
      assertTrue(style.contains("." + pen.kind() + " {"), pen.kind());
    }
  }

  static void assertTextFits(Svg svg) {
    List<Svg.Words> words = svg.words();
    double width = Svg.number(svg.elements.get(0), "width");
    double height = Svg.number(svg.elements.get(0), "height");
    var problems = new ArrayList<String>();
    for (int i = 0; i < words.size(); i++) {
      Svg.Words one = words.get(i);
      if (one.left() < 0 || one.right() > width || one.bottom() > height) {
        problems.add("outside: " + one);
      }
      for (Svg.Words other : words.subList(i + 1, words.size())) {
        if (one.overlaps(other)) {
          problems.add(one + " on " + other);
        }
      }
    }
    assertEquals(List.of(), problems, svg.text);
  }

  /** Requests are counted over more than a third of the axis. */
  private static void assertTelling(Svg svg) {
    var marks = new ArrayList<Double>();
    for (Pen pen : List.of(Pen.ACCEPTED, Pen.REJECTED_BAR)) {
      svg.all(pen).forEach(e -> marks.add(Svg.number(e, e.hasAttribute("cx") ? "cx" : "x")));
    }
    marks.removeIf(x -> x < Axis.LEFT);
    double least = marks.stream().mapToDouble(x -> x).min().orElseThrow();
    double most = marks.stream().mapToDouble(x -> x).max().orElseThrow();
    assertTrue(most - least > (Axis.RIGHT - Axis.LEFT) / 3.0, () -> marks + svg.text);
  }
}
