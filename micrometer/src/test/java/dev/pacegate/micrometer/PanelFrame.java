package dev.pacegate.micrometer;

import dev.pacegate.simulator.drawing.Drawing;
import dev.pacegate.simulator.drawing.Pen;
import java.util.List;

/** The frame of a panel: its title, its axis of time, its legend; what it shows goes inside. */
final class PanelFrame {

  /** Where a panel is. */
  record Box(double x, double y, double width, double height) {}

  /** A sign of the legend, and its words. */
  record Sign(Pen pen, String words) {

    double width() {
      return SIGN + Pen.LEGEND.width(words) + GAP;
    }
  }

  private static final int LINE = 17; // of text
  private static final int WIDE = 500;
  private static final int PAD = 10;
  private static final int SIGN = 20;
  private static final int GAP = 12;

  private final Drawing drawing;
  private final double x;
  private final double width;
  final double left;
  final double right;
  final double top;
  final double bottom;

  /**
   * Draws the frame.
   *
   * @param atLeft the width of the words at the left of what is shown
   * @param atRight of those at the right
   */
  PanelFrame(
      Drawing drawing, Box box, String title, double atLeft, double atRight, List<Sign> signs) {
    this.drawing = drawing;
    this.x = box.x();
    this.width = box.width();
    requireRoom(Pen.MANY.width(title), title);
    drawing.rectangle(Pen.BOX_EMPTY, x, box.y(), width, box.height(), 4);
    drawing.text(Pen.MANY, "start", x + PAD, box.y() + 18, title);
    left = x + PAD + atLeft + 6;
    right = x + width - PAD - 6 - atRight;
    top = box.y() + 32;
    double legend = box.y() + box.height() - 8 - (lines(signs) - 1) * LINE;
    bottom = legend - 2 * LINE - 1;
    legend(signs, legend);
  }

  private void requireRoom(double needed, String words) {
    if (needed > width - 2 * PAD) {
      throw new IllegalArgumentException("wider than its panel: " + words);
    }
  }

  private int lines(List<Sign> signs) {
    int lines = 1;
    double end = 0;
    for (Sign sign : signs) {
      if (end > 0 && end + sign.width() - GAP > width - 2 * PAD) {
        lines++;
        end = 0;
      }
      end += sign.width();
    }
    return lines;
  }

  private void legend(List<Sign> signs, double first) {
    double y = first;
    double end = 0;
    for (Sign sign : signs) {
      requireRoom(sign.width() - GAP, sign.words);
      if (end > 0 && end + sign.width() - GAP > width - 2 * PAD) {
        y += LINE;
        end = 0;
      }
      double from = x + PAD + end;
      if (sign.pen.kind().startsWith("curve")) {
        drawing.line(sign.pen, from, y - 4, from + SIGN - 5, y - 4);
      } else {
        drawing.rectangle(sign.pen, from, y - 10, SIGN - 6, 11, 2);
      }
      drawing.text(Pen.LEGEND, "start", from + SIGN, y, sign.words);
      end += sign.width();
    }
  }

  /** Marks the time, in minutes before now. */
  void time(Panel.Instants times) {
    long span = times.last() - times.first();
    int parts = width > WIDE ? 3 : 2;
    for (int i = 0; i <= parts; i++) {
      long at = times.first() + i * span / parts;
      double where = x(times, at);
      drawing.line(Pen.GRID, where, top, where, bottom);
      String words = i == parts ? "now" : (at - times.last()) / 60 + " min";
      String anchor = i == 0 ? "start" : i == parts ? "end" : "middle";
      double edge = i == parts ? right + 6 : where;
      drawing.text(Pen.LEGEND, anchor, edge, bottom + LINE - 3, words);
    }
  }

  /** Says at a side, left or right, what the height {@code y} stands for. */
  void height(String side, double y, String words) {
    drawing.line(Pen.GRID, left, y, right, y);
    if (side.equals("left")) {
      drawing.text(Pen.LEGEND, "end", left - 6, y + 4, words);
    } else {
      drawing.text(Pen.LEGEND, "start", right + 6, y + 4, words);
    }
  }

  double x(Panel.Instants instants, long second) {
    return left
        + (right - left) * (second - instants.first()) / (instants.last() - instants.first());
  }
}
