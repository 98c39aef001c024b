package dev.pacegate.simulator.drawing;

import java.io.StringWriter;
import java.util.List;
import java.util.Locale;
import javax.xml.stream.XMLOutputFactory;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamWriter;

/** Writes SVG: a few shapes, each drawn with a {@link Pen}. */
public final class Drawing {

  private static final String NAMESPACE = "http://www.w3.org/2000/svg";
  private static final String FONTS =
      "system-ui, -apple-system, 'Segoe UI', 'DejaVu Sans', sans-serif";

  private static final String FONTS_OF_CODE = "ui-monospace, 'DejaVu Sans Mono', monospace";

  private final StringWriter text = new StringWriter();
  private final XMLStreamWriter xml;

  /** Begins a drawing; {@code title} is what screen readers say. */
  public Drawing(int width, int height, String title) {
    try {
      xml = XMLOutputFactory.newDefaultFactory().createXMLStreamWriter(text);
      xml.writeStartElement("svg");
      xml.writeDefaultNamespace(NAMESPACE);
      attributes("viewBox", "0 0 " + width + " " + height, "width", width, "height", height);
      attributes("role", "img", "font-family", FONTS);
      element("title", title);
      element("style", Pen.darkStyle());
      rectangle(Pen.PAPER, 0, 0, width, height, 0);
    } catch (XMLStreamException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Draws a line. */
  public void line(Pen pen, double x1, double y1, double x2, double y2) {
    empty("line", pen, "x1", x1, "y1", y1, "x2", x2, "y2", y2);
  }

  /** Draws a circle. */
  public void dot(Pen pen, double x, double y, double radius) {
    empty("circle", pen, "cx", x, "cy", y, "r", radius);
  }

  /** Draws an oblique cross that reaches {@code size} in each direction. */
  public void cross(Pen pen, double x, double y, double size) {
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
    path(pen, path);
  }

  /** Draws a path, in the language of SVG. */
  public void path(Pen pen, String path) {
    empty("path", pen, "d", path);
  }

  /** Draws a rectangle, with corners of the radius {@code round}. */
  public void rectangle(Pen pen, double x, double y, double width, double height, double round) {
    empty(
        "rect",
        pen,
        "x",
        x,
        "y",
        y,
        "width",
        Math.max(0, width),
        "height",
        Math.max(0, height),
        "rx",
        round);
  }

  /** Writes text that begins, is centred or ends ("start", "middle", "end") at {@code x}. */
  public void text(Pen pen, String anchor, double x, double y, String words) {
    text(pen, words, "x", x, "y", y, "text-anchor", anchor);
  }

  /** Writes text that begins at {@code x}, in letters of equal width, as a terminal does. */
  public void code(Pen pen, double x, double y, String words) {
    text(pen, words, "x", x, "y", y, "text-anchor", "start", "font-family", FONTS_OF_CODE);
  }

  private void text(Pen pen, String words, Object... attributes) {
    try {
      xml.writeCharacters("\n");
      xml.writeStartElement("text");
      pen(pen);
      attributes(attributes);
      xml.writeCharacters(words);
      xml.writeEndElement();
    } catch (XMLStreamException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Ends the drawing, and returns it. */
  public String end() {
    try {
      xml.writeCharacters("\n");
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

  private void empty(String name, Pen pen, Object... attributes) {
    try {
      xml.writeCharacters("\n");
      xml.writeEmptyElement(name);
      pen(pen);
      attributes(attributes);
    } catch (XMLStreamException e) {
      throw new IllegalStateException(e);
    }
  }

  private void pen(Pen pen) throws XMLStreamException {
    List<Object> attributes = pen.attributes();
    attributes(attributes.toArray());
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
