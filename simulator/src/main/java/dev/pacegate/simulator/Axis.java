package dev.pacegate.simulator;

import dev.pacegate.simulator.drawing.Drawing;
import dev.pacegate.simulator.drawing.Pen;

/** The time axis of a drawing. */
final class Axis {

  static final int WIDTH = 900;
  static final int LEFT = 104;
  static final int RIGHT = 884;
  private static final int MOST_STEPS = 9;

  private final long from;
  private final long to;

  Axis(long from, long to) {
    this.from = from;
    this.to = to;
  }

  long from() {
    return from;
  }

  long to() {
    return to;
  }

  /** Returns where an instant is, which may be outside. */
  double x(long instant) {
    return LEFT + (double) (instant - from) / (to - from) * (RIGHT - LEFT);
  }

  /** Returns where an instant is, or the end that is nearest to it. */
  double inside(long instant) {
    return Math.min(RIGHT, Math.max(LEFT, x(instant)));
  }

  boolean shows(long instant) {
    double x = x(instant);
    return x >= LEFT - 0.5 && x <= RIGHT + 0.5;
  }

  /** Returns 1, 2 or 5 times a power of ten, so that few steps fit. */
  long step() {
    long step = 1;
    for (int round = 0; (to - from) / step > MOST_STEPS; round++) {
      step = round % 3 == 1 ? step / 2 * 5 : step * 2; // 1, 2, 5, 10
    }
    return step;
  }

  /** Draws dashed lines at round instants, with their times below. */
  void draw(Drawing drawing, double top, double bottom) {
    long step = step();
    for (long at = (from + step - 1) / step * step; at <= to; at += step) {
      String time = at == 0 ? "0 s" : Findings.seconds(at);
      drawing.line(Pen.GRID, x(at), top, x(at), bottom);
      if (x(at) + Pen.LABEL.width(time) / 2 <= WIDTH - 4) {
        drawing.text(Pen.LABEL, "middle", x(at), bottom + 16, time);
      }
    }
  }
}
