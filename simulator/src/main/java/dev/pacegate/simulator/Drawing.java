package dev.pacegate.simulator;

import java.io.StringWriter;
import java.util.Locale;
import javax.xml.stream.XMLOutputFactory;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamWriter;

/** Writes SVG: a few shapes, with classes that a style sheet in the drawing defines. */
final class Drawing {

  private static final String NAMESPACE = "http://www.w3.org/2000/svg";

  private final StringWriter text = new StringWriter();
  private final XMLStreamWriter xml;

  Drawing(int width, int height, String title, String style) {
    try {
      xml = XMLOutputFactory.newDefaultFactory().createXMLStreamWriter(text);
      xml.writeStartElement("svg");
      xml.writeDefaultNamespace(NAMESPACE);
      attributes("viewBox", "0 0 " + width + " " + height, "width", width, "height", height);
      attributes("role", "img");
      element("title", title);
      element("style", style);
      rectangle("paper", 0, 0, width, height, 0);
    } catch (XMLStreamException e) {
      throw new IllegalStateException(e);
    }
  }

  void line(String kind, double x1, double y1, double x2, double y2) {
    empty("line", "class", kind, "x1", x1, "y1", y1, "x2", x2, "y2", y2);
  }

  void dot(String kind, double x, double y, double radius) {
    empty("circle", "class", kind, "cx", x, "cy", y, "r", radius);
  }

  void cross(String kind, double x, double y, double size) {
    String path =
        String.format(
            Locale.ROOT,
            "M%.1f %.1fl%.1f %.1fm0 %.1fl%.1f %.1f",
            x - size,
            y - size,
            2 * size,
            2 * size,
            -2 * size,
            -2 * size,
            2 * size);
    path("" + kind, path);
  }

  void path(String kind, String path) {
    empty("path", "class", kind, "d", path);
  }

  void rectangle(String kind, double x, double y, double width, double height, double round) {
    empty(
        "rect",
        "class",
        kind,
        "x",
        x,
        "y",
        y,
        "width",
        Math.max(0, width),
        "height",
        height,
        "rx",
        round);
  }

  /** Writes text that begins, is centred or ends ("start", "middle", "end") at {@code x}. */
  void text(String kind, String anchor, double x, double y, String words) {
    try {
      xml.writeStartElement("text");
      attributes("class", kind, "x", x, "y", y, "text-anchor", anchor);
      xml.writeCharacters(words);
      xml.writeEndElement();
    } catch (XMLStreamException e) {
      throw new IllegalStateException(e);
    }
  }

  String end() {
    try {
      xml.writeEndElement();
      xml.writeEndDocument();
      xml.flush();
      return text + "\n";
    } catch (XMLStreamException e) {
      throw new IllegalStateException(e);
    }
  }

  private void element(String name, String words) throws XMLStreamException {
    xml.writeStartElement(name);
    xml.writeCharacters(words);
    xml.writeEndElement();
  }

  private void empty(String name, Object... attributes) {
    try {
      xml.writeCharacters("\n");
      xml.writeEmptyElement(name);
      attributes(attributes);
    } catch (XMLStreamException e) {
      throw new IllegalStateException(e);
    }
  }

  private void attributes(Object... attributes) throws XMLStreamException {
    for (int i = 0; i < attributes.length; i += 2) {
      Object value = attributes[i + 1];
      String text =
          value instanceof Double number
              ? String.format(Locale.ROOT, "%.1f", number)
              : String.valueOf(value);
      xml.writeAttribute((String) attributes[i], text);
    }
  }
}
