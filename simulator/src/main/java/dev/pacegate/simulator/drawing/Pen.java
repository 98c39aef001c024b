package dev.pacegate.simulator.drawing;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * How a part of a drawing looks. Light colours are attributes of each element, as not every
 * renderer knows style sheets; dark ones come on top by the class, where the renderer knows that.
 */
public enum Pen {
  PAPER(Shade.PAPER),
  TITLE(Shade.INK, 17, true),
  FACTS(Shade.SOFT, 12.5, false),
  LABEL(Shade.SOFT, 13, false),
  LEGEND(Shade.SOFT, 12.5, false),
  CAPTION(Shade.INK, 14, false),
  MANY(Shade.INK, 12, true),
  COUNT(Shade.SOFT, 14, true),
  COUNT_KEPT(Shade.BLUE, 14, true),
  COUNT_BROKEN(Shade.ORANGE, 14, true),
  ROW(Shade.FAINT, 1),
  GRID(Shade.FAINT, 1, "2 4"),
  WAIT(Shade.FAINT, 1),
  WAY(Shade.PATH, 1),
  WAY_KEPT(Shade.BLUE, 1.4),
  WAY_BROKEN(Shade.ORANGE, 1.6),
  ASKED(Shade.PAPER, Shade.SOFT, 1.2),
  STARTED(Shade.INK),
  ACCEPTED(Shade.BLUE),
  REJECTED(Shade.ORANGE, 2.6),
  REJECTED_BAR(Shade.ORANGE),
  LOST(Shade.SOFT, 1.6),
  WINDOW(Shade.SOFT, 1.2),
  WINDOW_OVERFULL(Shade.ORANGE, 1.2),
  FULLEST_KEPT(Shade.PALE_BLUE, Shade.BLUE, 1.6),
  FULLEST_BROKEN(Shade.PALE_ORANGE, Shade.ORANGE, 2),
  BAND_KEPT(Shade.PALE_BLUE),
  BAND_BROKEN(Shade.PALE_ORANGE),
  LEVEL(Shade.BLUE, 1.8),
  BOUND(Shade.SOFT, 1, "6 3"),
  CUT(Shade.ORANGE, 1.2, "3 3");

  private final @Nullable Shade fill;
  private final @Nullable Shade stroke;
  private final double width;
  private final String dashes; // empty for a solid line
  private final double size; // of letters, 0 if it writes none
  private final boolean bold;

  /** An area. */
  Pen(Shade fill) {
    this(fill, null, 0, "", 0, false);
  }

  /** A line. */
  Pen(Shade stroke, double width) {
    this(null, stroke, width, "", 0, false);
  }

  /** A dashed line. */
  Pen(Shade stroke, double width, String dashes) {
    this(null, stroke, width, dashes, 0, false);
  }

  /** An area with a line around it. */
  Pen(Shade fill, Shade stroke, double width) {
    this(fill, stroke, width, "", 0, false);
  }

  /** Letters. */
  Pen(Shade fill, double size, boolean bold) {
    this(fill, null, 0, "", size, bold);
  }

  Pen(
      @Nullable Shade fill,
      @Nullable Shade stroke,
      double width,
      String dashes,
      double size,
      boolean bold) {
    this.fill = fill;
    this.stroke = stroke;
    this.width = width;
    this.dashes = dashes;
    this.size = size;
    this.bold = bold;
  }

  /** Returns its class in drawings. */
  public String kind() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** Returns names and values of attributes in turn. */
  List<Object> attributes() {
    var attributes = new ArrayList<Object>(List.of("class", kind()));
    attributes.addAll(List.of("fill", fill == null ? "none" : fill.light));
    if (stroke != null) {
      attributes.addAll(List.of("stroke", stroke.light, "stroke-width", width));
    }
    if (!dashes.isEmpty()) {
      attributes.addAll(List.of("stroke-dasharray", dashes));
    }
    if (size > 0) {
      attributes.addAll(List.of("font-size", size));
    }
    if (bold) {
      attributes.addAll(List.of("font-weight", 600));
    }
    return attributes;
  }

  /** Returns how wide {@code words} are in this pen's letters. */
  public double width(String words) {
    return Letters.width(words, bold) * size;
  }

  /** Returns the style sheet with the dark colours of all pens. */
  static String darkStyle() {
    var style = new StringBuilder("\n@media (prefers-color-scheme: dark) {\n");
    for (Pen pen : values()) {
      style.append("  .").append(pen.kind()).append(" {");
      style.append(pen.fill == null ? "" : " fill: " + pen.fill.dark + ";");
      style.append(pen.stroke == null ? "" : " stroke: " + pen.stroke.dark + ";");
      style.append(" }\n");
    }
    return style.append("}\n").toString();
  }
}
