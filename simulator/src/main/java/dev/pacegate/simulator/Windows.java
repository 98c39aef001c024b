package dev.pacegate.simulator;

import dev.pacegate.simulator.drawing.Drawing;
import dev.pacegate.simulator.drawing.Pen;

/** Draws the windows of a peer as boxes, with what it counts in them. */
final class Windows {

  private static final double ROOM = 12; // beside a number in its box

  private final Scene scene;
  private final Axis axis;
  private final Drawing drawing;
  private final Rows rows;

  Windows(Scene scene, Axis axis, Drawing drawing, Rows rows) {
    this.scene = scene;
    this.axis = axis;
    this.drawing = drawing;
    this.rows = rows;
  }

  /** Marks the fullest window behind everything else. */
  void band() {
    if (scene.worst().most() > 0) {
      double from = axis.inside(begin());
      double to = axis.inside(scene.worstTo());
      Pen pen = scene.worst().tooMuch() ? Pen.BAND_BROKEN : Pen.BAND_KEPT;
      drawing.rectangle(pen, from, rows.counted() - 16, to - from, 36, 0);
    }
  }

  void draw() {
    if (scene.worst().most() == 0) {
      return; // nothing reached the peer
    }
    Rule rule = scene.rule();
    if (rule instanceof Rule.Fixed || rule instanceof Rule.Aligned) {
      long length = scene.worstTo() - scene.worstFrom();
      long before = (scene.worstFrom() - scene.from()) / length + 1;
      for (long at = scene.worstFrom() - before * length; at < scene.to(); at += length) {
        if (at != scene.worstFrom()) {
          other(at, at + length);
        }
      }
    }
    fullest();
  }

  /** Returns when the window begins, which may be before its first request. */
  private long begin() {
    return scene.rule() instanceof Rule.Sliding sliding
        ? Math.min(scene.worstFrom(), scene.worstTo() - sliding.nanos())
        : scene.worstFrom();
  }

  private void fullest() {
    double begin = axis.inside(begin());
    double end = axis.inside(scene.worstTo());
    if (end - begin < 8) {
      begin -= 4;
      end += 4;
    }
    boolean broken = scene.worst().tooMuch();
    Pen box = broken ? Pen.FULLEST_BROKEN : Pen.FULLEST_KEPT;
    drawing.rectangle(box, begin + 1, rows.box(), end - begin - 2, rows.boxHeight(), 5);
    words(broken ? Pen.COUNT_BROKEN : Pen.COUNT_KEPT, begin, end);
  }

  /** Writes the count into its box, or beside it where there is more room. */
  private void words(Pen pen, double begin, double end) {
    String words = amount();
    double width = pen.width(words);
    double y = rows.box() + 23;
    if (width + ROOM <= end - begin) {
      drawing.text(pen, "middle", (begin + end) / 2, y, words);
    } else if (end + 6 + width <= Axis.RIGHT) {
      drawing.text(pen, "start", end + 6, y, words);
    } else {
      drawing.text(pen, "end", begin - 6, y, words);
    }
  }

  private String amount() {
    if (scene.rule() instanceof Rule.Gap gap) {
      return "gap " + Findings.gap(scene.worstTo() - scene.worstFrom() - 1, gap.nanos());
    }
    return scene.worst().toString();
  }

  private void other(long from, long to) {
    double begin = axis.inside(from);
    double end = axis.inside(to);
    if (end - begin < 4) {
      return;
    }
    long cost = cost(from, to);
    boolean over = cost > scene.worst().allowed();
    Pen box = over ? Pen.WINDOW_OVERFULL : Pen.WINDOW;
    drawing.rectangle(box, begin + 1, rows.box(), end - begin - 2, rows.boxHeight(), 5);
    String words = cost + " of " + scene.worst().allowed();
    Pen pen = over ? Pen.COUNT_BROKEN : Pen.COUNT;
    boolean whole = axis.shows(from) && axis.shows(to); // otherwise not all of it is known
    if (whole && pen.width(words) + ROOM <= end - begin) {
      drawing.text(pen, "middle", (begin + end) / 2, rows.box() + 23, words);
    }
  }

  private long cost(long from, long to) {
    return scene.requests().stream()
        .filter(request -> request.counts != Request.NEVER)
        .filter(request -> request.counts >= from && request.counts < to)
        .mapToLong(request -> request.cost)
        .sum();
  }
}
