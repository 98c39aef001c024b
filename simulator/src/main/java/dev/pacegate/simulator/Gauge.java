package dev.pacegate.simulator;

import dev.pacegate.simulator.drawing.Drawing;
import dev.pacegate.simulator.drawing.Pen;
import java.util.Locale;

/**
 * Draws a level of the peer as a curve: of its bucket, of its estimate, of the requests it is at
 * work on; and the requests that it rejects.
 */
final class Gauge {

  private static final double BESIDE = 6; // a line

  private final Scene scene;
  private final Axis axis;
  private final Drawing drawing;
  private final Rows rows;

  Gauge(Scene scene, Axis axis, Drawing drawing, Rows rows) {
    this.scene = scene;
    this.axis = axis;
    this.drawing = drawing;
    this.rows = rows;
  }

  /** Returns whether a peer with this rule is drawn so; of the others the windows are. */
  static boolean fits(Rule rule) {
    return rule instanceof Rule.Bucket
        || rule instanceof Rule.Gcra
        || rule instanceof Rule.Open
        || rule instanceof Rule.Estimated;
  }

  /** Returns what the curve shows. */
  static String name(Rule rule) {
    if (rule instanceof Rule.Open) {
      return "at work";
    }
    return rule instanceof Rule.Estimated ? "estimate" : "bucket";
  }

  void draw() {
    double height = rows.boxHeight();
    double floor = rows.box() + height;
    long allowed = allowed();
    double top =
        scene.samples().stream().mapToDouble(PeerServer.FullnessSample::fullness).max().orElse(0);
    double full = Math.max(top, (double) allowed);
    drawing.rectangle(Pen.WINDOW, Axis.LEFT, rows.box(), Axis.RIGHT - Axis.LEFT, height, 0);
    double bound = floor - height * allowed / full;
    drawing.line(Pen.BOUND, Axis.LEFT, bound, Axis.RIGHT, bound);
    for (double cut : cuts()) {
      drawing.line(Pen.CUT, cut, rows.counted(), cut, floor);
    }
    drawing.text(Pen.LABEL, "end", Axis.LEFT - 6, bound + 5, String.valueOf(allowed));
    drawing.text(Pen.LABEL, "end", Axis.LEFT - 24, rows.box() + height / 2 + 4, name(scene.rule()));
    drawing.text(Pen.LABEL, "end", Axis.LEFT - 6, floor + 3, "0");
    curve(floor, height / full);
    if (scene.worst().tooMuch()) {
      verdict();
    }
  }

  private long allowed() {
    Rule rule = scene.rule();
    if (rule instanceof Rule.Open open) {
      return open.max();
    }
    if (rule instanceof Rule.Estimated estimated) {
      return estimated.rate().permits();
    }
    return rule instanceof Rule.Bucket bucket ? bucket.burst() : ((Rule.Gcra) rule).burst();
  }

  private void curve(double floor, double unit) {
    var path = new StringBuilder();
    for (PeerServer.FullnessSample sample : scene.samples()) {
      if (axis.shows(sample.at())) {
        double x = axis.x(sample.at());
        double y = floor - unit * sample.fullness();
        if (scene.rule() instanceof Rule.Open && path.length() > 0) {
          path.append(String.format(Locale.ROOT, "H%.1f", x));
        }
        String step = path.length() == 0 ? "M" : "L";
        path.append(String.format(Locale.ROOT, "%s%.1f %.1f", step, x, y));
      }
    }
    if (path.length() > 0) {
      drawing.path(Pen.LEVEL, path.toString());
    }
  }

  private void verdict() {
    String words = scene.worst().toString();
    double width = Pen.COUNT_BROKEN.width(words);
    double x = axis.inside(scene.worstTo()) + BESIDE;
    for (double cut : cuts()) {
      if (cut >= x - BESIDE && cut <= x + width) {
        x = cut + BESIDE;
      }
    }
    double fits = Math.min(Axis.RIGHT - width, x);
    drawing.text(Pen.COUNT_BROKEN, "start", fits, rows.box() - 4, words);
  }

  /** Returns where lines of rejected requests are, from left to right. */
  private double[] cuts() {
    return scene.requests().stream()
        .filter(request -> request.refused && axis.shows(request.counts))
        .mapToDouble(request -> axis.x(request.counts))
        .sorted()
        .toArray();
  }
}
