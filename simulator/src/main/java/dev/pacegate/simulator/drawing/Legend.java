package dev.pacegate.simulator.drawing;

/** Draws a line that explains the signs of a drawing. */
public final class Legend {

  private static final double SIGN = 22; // room of a sign before its words
  private static final double GAP = 18;
  private static final double LIFT = 4; // signs are on the middle of small letters

  private final Drawing drawing;
  private final double y;
  private double x = 16;

  /** Begins a line at a height. */
  public Legend(Drawing drawing, double y) {
    this.drawing = drawing;
    this.y = y;
  }

  /** Explains a dot. */
  public void dot(Pen pen, String words) {
    drawing.dot(pen, x + 5, y - LIFT, 4);
    words(words, 14);
  }

  /** Explains a cross. */
  public void cross(Pen pen, String words) {
    drawing.cross(pen, x + 6, y - LIFT, 4.5);
    words(words, 17);
  }

  /** Explains a line. */
  public void line(Pen pen, String words) {
    drawing.line(pen, x, y - LIFT + 5, x + 16, y - LIFT - 5);
    words(words, SIGN);
  }

  /** Explains a bar. */
  public void bar(Pen pen, String words) {
    drawing.rectangle(pen, x, y - 10, 8, 11, 0);
    words(words, 14);
  }

  /** Explains a box. */
  public void box(Pen pen, String words) {
    drawing.rectangle(pen, x + 1, y - 11, 18, 12, 3);
    words(words, 26);
  }

  /** Adds words without a sign. */
  public void words(String words) {
    words(words, 0);
  }

  private void words(String words, double sign) {
    drawing.text(Pen.LEGEND, "start", x + sign, y, words);
    x += sign + Pen.LEGEND.width(words) + GAP;
  }
}
