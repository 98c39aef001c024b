package dev.pacegate.micrometer;

import dev.pacegate.micrometer.Panel.Curve;
import dev.pacegate.micrometer.Panel.Instants;
import dev.pacegate.micrometer.PanelFrame.Sign;
import dev.pacegate.simulator.drawing.Drawing;
import dev.pacegate.simulator.drawing.Pen;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Draws a panel of curves. */
record CurvePanel(Panel panel, List<Curve> curves, Instants times) {

  private static final List<Pen> PENS =
      List.of(Pen.CURVE_BLUE, Pen.CURVE_ORANGE, Pen.CURVE_PURPLE, Pen.CURVE_SOFT);

  void draw(Drawing drawing, PanelFrame.Box box) {
    var signs = new ArrayList<Sign>();
    for (Curve curve : curves) {
      signs.add(new Sign(PENS.get(signs.size()), curve.name()));
    }
    PanelAxis left = axis(at("left"));
    PanelAxis right = axis(at("right"));
    double atRight = at("right").isEmpty() ? 0 : right.width() + 6;
    var frame = new PanelFrame(drawing, box, panel.title(), left.width(), atRight, signs);
    mark(frame, "left", left);
    if (atRight > 0) {
      mark(frame, "right", right);
    }
    frame.time(times);
    for (int i = curves.size() - 1; i >= 0; i--) {
      PanelAxis axis = at("right").contains(curves.get(i)) ? right : left;
      drawing.path(PENS.get(i), path(frame, axis, curves.get(i).values()));
    }
  }

  private static void mark(PanelFrame frame, String side, PanelAxis axis) {
    for (double value : axis.marks()) {
      frame.height(side, y(frame, axis, value), axis.words(value));
    }
  }

  /** Returns the curves whose axis is at a side. */
  private List<Curve> at(String side) {
    return curves.stream().filter(curve -> side.equals(side(curve))).toList();
  }

  private String side(Curve curve) {
    return panel.looks(curve.query()).getOrDefault("custom.axisPlacement", "left");
  }

  /** Returns the axis of curves that are shown alike. */
  private PanelAxis axis(List<Curve> some) {
    Map<String, String> looks = panel.looks(some.isEmpty() ? "" : some.get(0).query());
    double most =
        some.stream()
            .flatMap(curve -> curve.values().stream())
            .filter(value -> !value.isNaN())
            .mapToDouble(Double::doubleValue)
            .max()
            .orElse(0);
    String max = looks.get("max");
    return new PanelAxis(
        String.valueOf(looks.get("unit")), max == null ? most : Double.parseDouble(max));
  }

  private static double y(PanelFrame frame, PanelAxis axis, double value) {
    return frame.bottom - (frame.bottom - frame.top) * value / axis.end;
  }

  private String path(PanelFrame frame, PanelAxis axis, List<Double> values) {
    var path = new StringBuilder();
    boolean isGap = true;
    for (int i = 0; i < values.size(); i++) {
      double value = values.get(i);
      if (!Double.isNaN(value)) {
        double x = frame.x(times, times.at(i));
        double y = y(frame, axis, value);
        path.append(String.format(Locale.ROOT, "%s%.1f %.1f", isGap ? "M" : "L", x, y));
      }
      isGap = Double.isNaN(value);
    }
    return path.toString();
  }
}
