package dev.pacegate.simulator;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.util.ArrayList;
import java.util.List;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.w3c.dom.Element;

/** Drawings: that they are SVG, and show what is to be seen. */
class TimelineTest {

  private static List<Element> draw(SimulationResult outcome) throws Exception {
    var factory = DocumentBuilderFactory.newDefaultInstance();
    factory.setNamespaceAware(true);
    String svg = Timeline.svg(outcome);
    var document =
        factory.newDocumentBuilder().parse(new ByteArrayInputStream(svg.getBytes(UTF_8)));
    assertEquals("http://www.w3.org/2000/svg", document.getDocumentElement().getNamespaceURI());
    var elements = new ArrayList<Element>();
    var nodes = document.getElementsByTagName("*");
    for (int i = 0; i < nodes.getLength(); i++) {
      elements.add((Element) nodes.item(i));
    }
    return elements;
  }

  private static List<String> words(List<Element> elements, String kind) {
    return elements.stream()
        .filter(element -> element.getTagName().equals("text"))
        .filter(element -> (" " + element.getAttribute("class") + " ").contains(" " + kind + " "))
        .map(Element::getTextContent)
        .toList();
  }

  private static long count(List<Element> elements, String kind) {
    return elements.stream().filter(e -> e.getAttribute("class").equals(kind)).count();
  }

  @Test
  void showsTheWindowThatIsTooFull() throws Exception {
    SimulationResult outcome = Worlds.run("10/1s", "fixed(10/1s, phase=40ms)", "sends", "500");
    List<Element> elements = draw(outcome);
    assertEquals(List.of(outcome.worst().toString()), words(elements, "bad"));
    assertEquals(1, count(elements, "badbox"));
    assertEquals(outcome.worst().most(), count(elements, "hot"));
    assertTrue(words(elements, "caption").get(0).startsWith("The peer counts"));
  }

  @Test
  void showsTheFullestWindowIfNoneIsTooFull() throws Exception {
    List<Element> elements = draw(Worlds.run("peer(10/1s)", "fixed(10/1s)", "sends", "500"));
    assertEquals(List.of("10 of 10"), words(elements, "good"));
    assertEquals(
        List.of("The fullest window of the peer counts 10 of 10."), words(elements, "caption"));
    assertEquals(0, count(elements, "over"));
  }

  @Test
  void isLightOrDarkAsThePage() {
    String svg = Timeline.svg(Worlds.run("10/1s", "sliding(10/1s)", "sends", "50"));
    assertTrue(svg.contains("prefers-color-scheme: dark"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "bucket(10/1s, burst=5)|bucket(10/1s, burst=5)|The peer's bucket holds 5, and what comes",
        "bucket(10/1s, burst=5)|gcra(10/1s, burst=5)|The peer's bucket holds 5, and what comes",
        "peer(10/1s)|estimated(10/1s, phase=0s)|The peer estimates",
        "peer(5/1s)|estimated(10/1s, phase=0s)|The highest estimate of the peer is",
        "spacing(100ms)|spacing(100ms)|Two requests reach the peer",
        "concurrent(9)|concurrent(3)|9 are at work at the peer at once, where 3 may be",
        "concurrent(3)|concurrent(3)|The peer never works on more than 3 of 3.",
        "peer(spacing(1s))|spacing(1s)|No two requests reach the peer less than 1s apart.",
        "10/1s|aligned(10/1s)|The",
        "fixed(10/1s)|sliding(10/1s)|The peer counts",
      })
  void saysInASentenceWhatIsSeen(String limit, String peer, String beginning) throws Exception {
    SimulationResult outcome =
        Worlds.run(
            limit, peer, "sends", "2000", "work", "100ms", "demand", "loop(30)", "refuses", "no");
    String caption = String.join(" ", words(draw(outcome), "caption"));
    assertTrue(caption.startsWith(beginning), caption);
    assertTrue(caption.endsWith("."), caption);
  }

  @Test
  void everyScenarioCanBeDrawn() throws Exception {
    for (String name : Scenarios.names()) {
      for (Study.Run run : Scenarios.named(name).runs()) {
        assertTrue(draw(Simulation.run(run.scenario())).size() > 20, name);
      }
    }
  }
}
