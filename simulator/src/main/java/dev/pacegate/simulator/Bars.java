package dev.pacegate.simulator;

import dev.pacegate.simulator.drawing.Drawing;
import dev.pacegate.simulator.drawing.Pen;

/**
 * Draws how many requests started, and how many the peer counted, where they are too many to see.
 */
final class Bars {

  private static final int PARTS = 10; // of a step of the axis
  private static final double HEIGHT = 56;
  private static final double ROOM = 34; // of a number above a bar

  private final Scene scene;
  private final Axis axis;
  private final Drawing drawing;
  private final Rows rows;
  private final long step;
  private final long[] started;
  private final long[] accepted;
  private final long[] rejected;

  Bars(Scene scene, Axis axis, Drawing drawing, Rows rows) {
    this.scene = scene;
    this.axis = axis;
    this.drawing = drawing;
    this.rows = rows;
    this.step = step(axis);
    int many = (int) ((axis.to() - first()) / step) + 1;
    this.started = new long[many];
    this.accepted = new long[many];
    this.rejected = new long[many];
  }

  /** Returns how long a bar lasts, in nanoseconds. */
  static long step(Axis axis) {
    return Math.max(1, axis.step() / PARTS);
  }

  private long first() {
    return axis.from() / step * step;
  }

  void draw() {
    for (Request request : scene.requests()) {
      add(started, request.released, request.cost);
      add(request.refused ? rejected : accepted, request.counts, request.cost);
    }
    long most = 1;
    for (int i = 0; i < started.length; i++) {
      most = Math.max(most, Math.max(started[i], accepted[i] + rejected[i]));
    }
    double unit = HEIGHT / most;
    for (int i = 0; i < started.length; i++) {
      bar(Pen.STARTED, i, rows.started(), started[i] * unit);
      bar(Pen.ACCEPTED, i, rows.counted(), accepted[i] * unit);
      bar(Pen.REJECTED_BAR, i, rows.counted() - accepted[i] * unit, rejected[i] * unit);
    }
    labels(started, new long[started.length], rows.started(), unit);
    labels(accepted, rejected, rows.counted(), unit);
  }

  private void add(long[] bars, long at, long cost) {
    if (at >= axis.from() && at <= axis.to()) {
      bars[(int) ((at - first()) / step)] += cost;
    }
  }

  private void bar(Pen pen, int i, double base, double height) {
    if (height > 0) {
      double from = axis.inside(first() + i * step);
      double to = axis.inside(first() + (i + 1) * step);
      drawing.rectangle(pen, from + 0.5, base - height, to - from - 1, height, 0);
    }
  }

  /** Writes the numbers of the tallest bars above them. */
  private void labels(long[] lower, long[] upper, double base, double unit) {
    double free = Axis.LEFT;
    for (int i = 0; i < lower.length; i++) {
      long many = lower[i] + upper[i];
      double x = (axis.inside(first() + i * step) + axis.inside(first() + (i + 1) * step)) / 2;
      boolean top = many * unit > HEIGHT / 2 && isPeak(lower, upper, i);
      if (top && x >= free && x <= Axis.RIGHT - ROOM / 2) {
        free = x + ROOM;
        drawing.text(Pen.MANY, "middle", x, base - many * unit - 4, String.valueOf(many));
      }
    }
  }

  private static boolean isPeak(long[] lower, long[] upper, int i) {
    long here = lower[i] + upper[i];
    return (i == 0 || lower[i - 1] + upper[i - 1] <= here)
        && (i == lower.length - 1 || lower[i + 1] + upper[i + 1] <= here);
  }
}
