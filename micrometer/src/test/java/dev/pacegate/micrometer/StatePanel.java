package dev.pacegate.micrometer;

import static java.util.Objects.requireNonNull;

import dev.pacegate.micrometer.Panel.Curve;
import dev.pacegate.micrometer.Panel.Instants;
import dev.pacegate.micrometer.PanelFrame.Sign;
import dev.pacegate.simulator.drawing.Drawing;
import dev.pacegate.simulator.drawing.Pen;
import java.util.List;
import java.util.Map;

/** Draws a panel of states, each in its colour and with its name where there is room. */
record StatePanel(Panel panel, List<Curve> curves, Instants times) {

  private static final Map<String, Pen> PENS =
      Map.of(
          "transparent", Pen.BOX_EMPTY,
          "blue", Pen.BOX_BLUE,
          "orange", Pen.BOX_ORANGE,
          "purple", Pen.BOX_PURPLE,
          "red", Pen.BOX_RED);

  void draw(Drawing drawing, PanelFrame.Box box) {
    Map<?, ?> states = panel.defaults().get("mappings").list().get(0).get("options").map();
    List<Sign> signs =
        states.keySet().stream()
            .map(state -> Double.parseDouble(String.valueOf(state)))
            .map(state -> new Sign(pen(state), words(state)))
            .toList();
    double labels =
        curves.stream().mapToDouble(curve -> Pen.LEGEND.width(curve.name())).max().orElse(0);
    var frame = new PanelFrame(drawing, box, panel.title(), labels, 0, signs);
    frame.time(times);
    double row = (frame.bottom - frame.top) / curves.size();
    for (int i = 0; i < curves.size(); i++) {
      double y = frame.top + i * row + 2;
      drawing.text(Pen.LEGEND, "end", frame.left - 6, y + row / 2 + 2, curves.get(i).name());
      row(drawing, frame, curves.get(i).values(), y, row - 4);
    }
  }

  private void row(
      Drawing drawing, PanelFrame frame, List<Double> values, double y, double height) {
    int first = 0;
    for (int i = 1; i < values.size(); i++) {
      double state = values.get(first);
      if (i == values.size() - 1 || values.get(i) != state) {
        double from = frame.x(times, times.at(first));
        double width = frame.x(times, times.at(i)) - from;
        drawing.rectangle(pen(state), from, y, width, height, 0);
        if (Pen.MANY.width(words(state)) + 6 < width) {
          drawing.text(Pen.MANY, "middle", from + width / 2, y + height / 2 + 4, words(state));
        }
        first = i;
      }
    }
  }

  private String words(double state) {
    Json options = panel.defaults().get("mappings").list().get(0).get("options");
    return options.get(String.valueOf((int) state)).get("text").text();
  }

  private Pen pen(double state) {
    String colour = "";
    for (Json step : panel.defaults().get("thresholds").get("steps").list()) {
      String from = step.get("value").text();
      if (from.equals("null") || Double.parseDouble(from) <= state) {
        colour = step.get("color").text();
      }
    }
    return requireNonNull(PENS.get(colour), colour);
  }
}
