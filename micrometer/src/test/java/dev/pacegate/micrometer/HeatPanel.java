package dev.pacegate.micrometer;

import dev.pacegate.micrometer.Panel.Curve;
import dev.pacegate.micrometer.Panel.Instants;
import dev.pacegate.micrometer.PanelFrame.Sign;
import dev.pacegate.simulator.drawing.Drawing;
import dev.pacegate.simulator.drawing.Pen;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;

/** Draws a panel that shows how many values are in each bucket of a histogram. */
final class HeatPanel {

  private static final List<Pen> PENS = List.of(Pen.HEAT_LOW, Pen.HEAT_MEDIUM, Pen.HEAT_HIGH);
  private static final List<Double> PARTS = List.of(0.1, 0.35, 1.0); // of the most in a cell
  private static final int WORDS = 4; // rows with words

  private final Panel panel;
  private final Instants times;
  private final List<double[]> rows = new ArrayList<>();
  private final List<String> words = new ArrayList<>();
  private double most;

  HeatPanel(Panel panel, List<Curve> curves, Instants times) {
    this.panel = panel;
    this.times = times;
    String unit = panel.json().get("options").get("yAxis").get("unit").text();
    var below = new double[times.count()];
    List<Curve> sorted =
        curves.stream().sorted(Comparator.comparingDouble(HeatPanel::bound)).toList();
    for (Curve curve : sorted) {
      var row = new double[below.length];
      for (int i = 1; i < row.length; i++) {
        row[i] = curve.values().get(i) - below[i];
        below[i] = curve.values().get(i);
        most = Math.max(most, row[i]);
      }
      rows.add(row);
      words.add(PanelAxis.words(unit, bound(curve)));
    }
    while (isEmpty(rows.get(rows.size() - 1))) {
      rows.remove(rows.size() - 1);
    }
  }

  private static double bound(Curve curve) {
    return Buckets.bound(String.valueOf(curve.labels().get("le")));
  }

  private static boolean isEmpty(double[] row) {
    for (double count : row) {
      if (count > 0) {
        return false;
      }
    }
    return true;
  }

  void draw(Drawing drawing, PanelFrame.Box box) {
    String unit = panel.defaults().get("unit").text();
    var signs = new ArrayList<Sign>();
    for (int i = 0; i < PENS.size(); i++) {
      String upTo = PanelAxis.words(unit, Math.floor(PARTS.get(i) * most));
      signs.add(new Sign(PENS.get(i), "up to " + upTo));
    }
    double labels = words.stream().mapToDouble(Pen.LEGEND::width).max().orElse(0);
    var frame = new PanelFrame(drawing, box, panel.title(), labels, 0, signs);
    double height = (frame.bottom - frame.top) / rows.size();
    int every = (rows.size() + WORDS - 1) / WORDS;
    for (int i = 0; i < rows.size(); i += every) {
      frame.height("left", frame.bottom - (i + 0.5) * height, words.get(i));
    }
    frame.time(times);
    double width = frame.x(times, times.at(1)) - frame.left;
    for (int i = 0; i < PENS.size(); i++) {
      drawing.path(PENS.get(i), cells(frame, i, width, height));
    }
  }

  /** Returns the cells that one pen draws, as one path. */
  private String cells(PanelFrame frame, int pen, double width, double height) {
    double above = pen == 0 ? 0 : Math.floor(PARTS.get(pen - 1) * most);
    double upTo = Math.floor(PARTS.get(pen) * most);
    var path = new StringBuilder();
    for (int row = 0; row < rows.size(); row++) {
      for (int i = 1; i < times.count(); i++) {
        double count = rows.get(row)[i];
        if (count > above && count <= upTo) {
          double x = frame.x(times, times.at(i)) - width;
          double y = frame.bottom - (row + 1) * height;
          path.append(
              String.format(
                  Locale.ROOT,
                  "M%.1f %.1fh%.1fv%.1fh%.1fz",
                  x,
                  y,
                  width - 0.6,
                  height - 0.6,
                  0.6 - width));
        }
      }
    }
    return path.toString();
  }
}
