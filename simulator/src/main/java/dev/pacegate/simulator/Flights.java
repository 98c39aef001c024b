package dev.pacegate.simulator;

import dev.pacegate.simulator.drawing.Drawing;
import dev.pacegate.simulator.drawing.Pen;
import java.util.Comparator;
import java.util.List;

/** Draws every request: when it was asked for and started, and when the peer counted it. */
final class Flights {

  private static final int SAME = 3; // so near are dots that look like one
  private static final int ROOM = 32; // of a number beside dots

  private final Scene scene;
  private final Axis axis;
  private final Drawing drawing;
  private final Rows rows;

  Flights(Scene scene, Axis axis, Drawing drawing, Rows rows) {
    this.scene = scene;
    this.axis = axis;
    this.drawing = drawing;
    this.rows = rows;
  }

  void draw() {
    Pen worst = scene.worst().tooMuch() ? Pen.WAY_BROKEN : Pen.WAY_KEPT;
    for (Request request : scene.requests()) {
      if (!scene.isWorst(request)) {
        way(request, Pen.WAY);
      }
    }
    scene.requests().stream().filter(scene::isWorst).forEach(request -> way(request, worst));
    scene.requests().forEach(this::start);
    many();
    scene.requests().forEach(this::count);
  }

  private void way(Request request, Pen pen) {
    if (rows.showsAsked()) {
      slope(Pen.WAIT, request.asked, rows.asked(), request.released, rows.started());
    }
    if (request.counts != Request.NEVER) {
      slope(pen, request.released, rows.started(), request.counts, rows.counted());
    }
  }

  /** Draws a line between two rows, clipped to the stretch. */
  private void slope(Pen pen, long from, double top, long to, double below) {
    double x1 = axis.x(from);
    double x2 = axis.x(to);
    if (x1 == x2) {
      if (axis.shows(from)) {
        drawing.line(pen, x1, top, x2, below);
      }
      return;
    }
    double begin = x1 >= Axis.LEFT ? 0 : (Axis.LEFT - x1) / (x2 - x1);
    double end = x2 <= Axis.RIGHT ? 1 : (Axis.RIGHT - x1) / (x2 - x1);
    if (begin < end) {
      drawing.line(
          pen,
          x1 + (x2 - x1) * begin,
          top + (below - top) * begin,
          x1 + (x2 - x1) * end,
          top + (below - top) * end);
    }
  }

  private void start(Request request) {
    if (rows.showsAsked() && axis.shows(request.asked)) {
      drawing.dot(Pen.ASKED, axis.x(request.asked), rows.asked(), 3.0);
    }
    if (!axis.shows(request.released)) {
      return;
    }
    double x = axis.x(request.released);
    drawing.dot(Pen.STARTED, x, rows.started(), 3.6);
    if (request.counts == Request.NEVER) {
      drawing.cross(Pen.LOST, x + 3, rows.started() + 14, 3.5);
    }
  }

  private void count(Request request) {
    if (request.counts == Request.NEVER || !axis.shows(request.counts)) {
      return;
    }
    if (request.refused) {
      drawing.cross(Pen.REJECTED, axis.x(request.counts), rows.counted(), 5);
    } else {
      drawing.dot(Pen.ACCEPTED, axis.x(request.counts), rows.counted(), 4.2);
    }
  }

  /** Labels how many were released at what looks like one instant. */
  private void many() {
    List<Request> released =
        scene.requests().stream()
            .filter(request -> axis.shows(request.released))
            .sorted(Comparator.comparingLong(request -> request.released))
            .toList();
    double free = Axis.LEFT; // from where on there is room for words
    for (int i = 0; i < released.size(); ) {
      double x = axis.x(released.get(i).released);
      int begin = i;
      while (i < released.size() && axis.x(released.get(i).released) - x < SAME) {
        i++;
      }
      boolean last = x > Axis.RIGHT - ROOM;
      if (i - begin > 1 && (last ? x - ROOM : x) >= free) {
        free = x + ROOM;
        String many = "×" + (i - begin);
        double beside = last ? x - 6 : x + 6;
        drawing.text(Pen.MANY, last ? "end" : "start", beside, rows.started() - 6, many);
      }
    }
  }
}
