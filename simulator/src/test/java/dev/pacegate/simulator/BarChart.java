package dev.pacegate.simulator;

import dev.pacegate.simulator.drawing.Drawing;
import dev.pacegate.simulator.drawing.Legend;
import dev.pacegate.simulator.drawing.Pen;
import java.util.ArrayList;
import java.util.List;

/** Draws numbers as bars, one below the other: those of Pacegate in its own colour. */
final class BarChart {

  private static final int LEFT = 430;
  private static final int RIGHT = 810;
  private static final int TOP = 98;
  private static final int STEP = 26;
  private static final int HEIGHT = 15;

  private record Bar(String name, double value, String words) {}

  private final String title;
  private final String unit;
  private final List<Bar> bars = new ArrayList<>();
  private double bound; // 0 if there is none
  private String ofTheBound = "";
  private boolean logarithmic;

  /**
   * @param unit what the numbers are
   */
  BarChart(String title, String unit) {
    this.title = title;
    this.unit = unit;
  }

  /** Marks what is allowed; longer bars stand out. */
  BarChart bound(double bound, String words) {
    this.bound = bound;
    this.ofTheBound = words;
    return this;
  }

  /** Draws lengths on a logarithmic scale that begins at a tenth. */
  BarChart logarithmic() {
    logarithmic = true;
    return this;
  }

  /** Adds a bar for a cell of a table. */
  void add(String name, String cell) {
    bars.add(new Bar(name.replace("`", ""), MeasuredTable.number(cell), cell));
  }

  String svg() {
    int bottom = TOP + bars.size() * STEP;
    var drawing = new Drawing(Axis.WIDTH, bottom + 20, title);
    drawing.text(Pen.TITLE, "start", 16, 30, title);
    var legend = new Legend(drawing, 58);
    legend.words(unit);
    legend.bar(Pen.ACCEPTED, "Pacegate");
    legend.bar(Pen.STARTED, "others");
    if (bound > 0) {
      legend.bar(Pen.REJECTED_BAR, "more than allowed");
      drawing.line(Pen.BOUND, x(bound), TOP - 6, x(bound), bottom);
      drawing.text(Pen.LABEL, "middle", x(bound), TOP - 10, ofTheBound);
    }
    for (int i = 0; i < bars.size(); i++) {
      draw(drawing, bars.get(i), TOP + i * STEP);
    }
    return drawing.end();
  }

  private void draw(Drawing drawing, Bar bar, int y) {
    drawing.text(Pen.LABEL, "end", LEFT - 12, y + 12, bar.name);
    drawing.rectangle(pen(bar), LEFT, y, x(bar.value) - LEFT, HEIGHT, 0);
    drawing.text(Pen.LABEL, "start", behind(x(bar.value), bar.words), y + 12, bar.words);
  }

  /**
   * Returns where words are behind the end of a bar, and behind the bound if they would be on it.
   */
  private double behind(double end, String words) {
    boolean onBound = bound > 0 && end <= x(bound) && x(bound) < end + Pen.LABEL.width(words) + 16;
    return (onBound ? x(bound) : end) + 8;
  }

  private Pen pen(Bar bar) {
    if (bound > 0 && bar.value > bound) {
      return Pen.REJECTED_BAR;
    }
    return bar.name.startsWith("Pacegate") ? Pen.ACCEPTED : Pen.STARTED;
  }

  private double x(double value) {
    double most = bars.stream().mapToDouble(Bar::value).max().orElseThrow();
    return LEFT + length(value) / length(Math.max(most, bound)) * (RIGHT - LEFT);
  }

  private double length(double value) {
    return logarithmic ? Math.max(0, Math.log10(value * 10)) : value;
  }
}
