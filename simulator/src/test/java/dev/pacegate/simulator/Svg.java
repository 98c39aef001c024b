package dev.pacegate.simulator;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.pacegate.simulator.drawing.Pen;
import java.io.ByteArrayInputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import javax.xml.parsers.DocumentBuilderFactory;
import org.w3c.dom.Element;

/** A drawing that was read again, for tests. */
final class Svg {

  /** What a text covers, if its letters are as wide as those of DejaVu Sans. */
  record Words(String text, double left, double right, double top, double bottom) {

    boolean overlaps(Words other) {
      return left < other.right && other.left < right && top < other.bottom && other.top < bottom;
    }
  }

  private static final double CODE_LETTER = 0.602; // the width of one of DejaVu Sans Mono

  final String text;
  final List<Element> elements = new ArrayList<>();

  private Svg(String text) {
    this.text = text;
  }

  static Svg of(SimulationResult outcome) {
    return read(Timeline.svg(outcome));
  }

  static Svg read(String text) {
    var svg = new Svg(text);
    var factory = DocumentBuilderFactory.newDefaultInstance();
    factory.setNamespaceAware(true);
    try {
      var bytes = new ByteArrayInputStream(text.getBytes(UTF_8));
      var document = factory.newDocumentBuilder().parse(bytes);
      assertEquals("http://www.w3.org/2000/svg", document.getDocumentElement().getNamespaceURI());
      var nodes = document.getElementsByTagName("*");
      for (int i = 0; i < nodes.getLength(); i++) {
        svg.elements.add((Element) nodes.item(i));
      }
    } catch (Exception e) {
      throw new AssertionError(text, e);
    }
    return svg;
  }

  List<Element> all(Pen pen) {
    return elements.stream().filter(e -> e.getAttribute("class").equals(pen.kind())).toList();
  }

  List<String> texts(Pen pen) {
    return all(pen).stream()
        .filter(element -> element.getTagName().equals("text"))
        .map(Element::getTextContent)
        .toList();
  }

  /** Returns the words of several lines as one. */
  String paragraph(Pen pen) {
    return String.join(" ", texts(pen));
  }

  List<Words> words() {
    return elements.stream().filter(e -> e.getTagName().equals("text")).map(Svg::words).toList();
  }

  private static Words words(Element element) {
    Pen pen = Pen.valueOf(element.getAttribute("class").toUpperCase(Locale.ROOT).replace('-', '_'));
    String text = element.getTextContent();
    double size = number(element, "font-size");
    boolean code = element.hasAttribute("font-family");
    double width = code ? text.length() * CODE_LETTER * size : pen.width(text);
    double x = number(element, "x");
    double left =
        switch (element.getAttribute("text-anchor")) {
          case "start" -> x;
          case "middle" -> x - width / 2;
          default -> x - width;
        };
    double line = number(element, "y");
    return new Words(text, left, left + width, line - 0.75 * size, line + 0.2 * size);
  }

  static double number(Element element, String attribute) {
    return Double.parseDouble(element.getAttribute(attribute));
  }
}
