package dev.pacegate.redis.growth;

import dev.pacegate.simulator.drawing.Drawing;
import dev.pacegate.simulator.drawing.Legend;
import dev.pacegate.simulator.drawing.Letters;
import dev.pacegate.simulator.drawing.Pen;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Draws curves. The horizontal axis is logarithmic, the other one if it is asked to be. */
final class Chart {

  private static final List<Pen> PENS =
      List.of(Pen.CURVE_BLUE, Pen.CURVE_ORANGE, Pen.CURVE_PURPLE, Pen.CURVE_SOFT);
  private static final int WIDTH = 900;
  private static final int LEFT = 84;
  private static final int RIGHT = 868;
  private static final int TOP = 84;
  private static final int FOOT = 330;

  /** A point. */
  record Point(double x, double y) {}

  private record Curve(String name, List<Point> points) {}

  private final String title;
  private final String across;
  private final boolean isLogarithmic;
  private final List<Curve> curves = new ArrayList<>();
  private double bound = Double.NaN;
  private String boundName = "";

  /**
   * Begins a chart.
   *
   * @param across what the horizontal axis shows
   */
  Chart(String title, String across, boolean isLogarithmic) {
    this.title = title;
    this.across = across;
    this.isLogarithmic = isLogarithmic;
  }

  Chart curve(String name, List<Point> points) {
    curves.add(new Curve(name, points));
    return this;
  }

  /** Draws a line that is not to be passed. */
  Chart bound(double y, String name) {
    bound = y;
    boundName = name;
    return this;
  }

  String svg(String caption) {
    List<String> lines = Letters.lines(Pen.CAPTION, caption, WIDTH - 32);
    var drawing = new Drawing(WIDTH, FOOT + 64 + 20 * lines.size(), title);
    drawing.text(Pen.TITLE, "start", 16, 30, title);
    var legend = new Legend(drawing, 58);
    for (int i = 0; i < curves.size(); i++) {
      legend.line(PENS.get(i), curves.get(i).name);
    }
    grid(drawing);
    for (int i = 0; i < curves.size(); i++) {
      draw(drawing, PENS.get(i), curves.get(i).points);
    }
    for (int i = 0; i < lines.size(); i++) {
      drawing.text(Pen.CAPTION, "start", 16, FOOT + 66 + 20 * i, lines.get(i));
    }
    return drawing.end();
  }

  private void grid(Drawing drawing) {
    for (double x : powers(leastX(), mostX())) {
      drawing.line(Pen.GRID, x(x), TOP, x(x), FOOT);
      drawing.text(Pen.LABEL, "middle", x(x), FOOT + 18, text(x));
    }
    drawing.text(Pen.LABEL, "end", RIGHT, FOOT + 38, across);
    for (double y : isLogarithmic ? powers(leastY(), mostY()) : steps()) {
      drawing.line(Pen.GRID, LEFT, y(y), RIGHT, y(y));
      drawing.text(Pen.LABEL, "end", LEFT - 8, y(y) + 5, text(y));
    }
    if (!Double.isNaN(bound)) {
      drawing.line(Pen.BOUND, LEFT, y(bound), RIGHT, y(bound));
      drawing.text(Pen.LABEL, "start", LEFT + 6, y(bound) - 6, boundName);
    }
  }

  private void draw(Drawing drawing, Pen pen, List<Point> points) {
    var path = new StringBuilder();
    for (Point point : points) {
      path.append(path.isEmpty() ? "M" : "L");
      path.append(String.format(Locale.ROOT, "%.1f %.1f", x(point.x), y(point.y)));
    }
    drawing.path(pen, path.toString());
    for (Point point : points) {
      drawing.dot(pen, x(point.x), y(point.y), 2.5);
    }
  }

  private List<Point> points() {
    return curves.stream().flatMap(curve -> curve.points.stream()).toList();
  }

  private double leastX() {
    return points().stream().mapToDouble(Point::x).min().orElseThrow();
  }

  private double mostX() {
    return points().stream().mapToDouble(Point::x).max().orElseThrow();
  }

  private double leastY() {
    double least = points().stream().mapToDouble(Point::y).filter(y -> y > 0).min().orElse(1);
    return isLogarithmic ? Math.pow(10, Math.floor(Math.log10(least))) : 0;
  }

  private double mostY() {
    double most = points().stream().mapToDouble(Point::y).max().orElseThrow();
    most = Double.isNaN(bound) ? most : Math.max(most, bound);
    return isLogarithmic ? Math.pow(10, Math.ceil(Math.log10(most))) : most * 1.08;
  }

  private double x(double x) {
    return LEFT + (RIGHT - LEFT) * Math.log(x / leastX()) / Math.log(mostX() / leastX());
  }

  private double y(double y) {
    double part =
        isLogarithmic
            ? Math.log(Math.max(y, leastY()) / leastY()) / Math.log(mostY() / leastY())
            : y / mostY();
    return FOOT - (FOOT - TOP) * part;
  }

  private static List<Double> powers(double least, double most) {
    var powers = new ArrayList<Double>();
    for (double at = Math.pow(10, Math.floor(Math.log10(least))); at <= most * 1.001; at *= 10) {
      for (int times : most / least < 200 ? new int[] {1, 3} : new int[] {1}) {
        if (at * times >= least * 0.999 && at * times <= most * 1.001) {
          powers.add(at * times);
        }
      }
    }
    return powers;
  }

  private List<Double> steps() {
    double step = Math.pow(10, Math.floor(Math.log10(mostY())));
    step = mostY() / step < 2 ? step / 4 : mostY() / step < 5 ? step / 2 : step;
    var steps = new ArrayList<Double>();
    for (double at = 0; at <= mostY(); at += step) {
      steps.add(at);
    }
    return steps;
  }

  private static String text(double value) {
    return value >= 10 || value == Math.rint(value)
        ? String.format(Locale.ROOT, "%,.0f", value)
        : String.format(Locale.ROOT, "%.2f", value).replaceAll("0$", "");
  }
}
