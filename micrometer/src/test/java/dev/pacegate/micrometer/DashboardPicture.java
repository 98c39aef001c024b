package dev.pacegate.micrometer;

import dev.pacegate.micrometer.Panel.Instants;
import dev.pacegate.simulator.drawing.Drawing;
import dev.pacegate.simulator.drawing.Pen;
import java.util.List;

/** Draws the dashboard as its file describes it, with what a {@link BusyProgram} shows. */
final class DashboardPicture {

  private static final int WIDTH = 900;
  private static final int MARGIN = 16;
  private static final int TOP = 72;
  private static final int COLUMNS = 24; // of Grafana's grid
  private static final int ROW = 21; // the height of one of its rows
  private static final int GAP = 8;
  private static final long MINUTE = 60;
  private static final long BEFORE = 2; // minutes, so that rates are known from the first one on

  private DashboardPicture() {}

  /** Returns what a program shows that runs as long as {@code dashboard} looks back. */
  static Scrapes scrapes(Json dashboard) {
    return BusyProgram.run(BEFORE + minutes(dashboard));
  }

  private static long minutes(Json dashboard) {
    String from = dashboard.get("time").get("from").text();
    return Long.parseLong(from.replaceAll("now-(\\d+)m", "$1"));
  }

  static String svg(Json dashboard, Scrapes scrapes) {
    List<Panel> panels = Panel.all(dashboard);
    long minutes = minutes(dashboard);
    int rows = panels.stream().mapToInt(panel -> panel.grid("y") + panel.grid("h")).max().orElse(0);
    String title =
        dashboard.get("title").text() + ": the last " + minutes + " minutes of a busy program";
    var drawing = new Drawing(WIDTH, TOP + rows * ROW - GAP + MARGIN, title);
    drawing.text(Pen.TITLE, "start", MARGIN, 30, title);
    String facts =
        "Limiter "
            + BusyProgram.NAME
            + ", "
            + BusyProgram.LIMIT
            + ". The values come from a real limiter that runs in virtual time.";
    drawing.text(Pen.FACTS, "start", MARGIN, 54, facts);
    var times = new Instants(BEFORE * MINUTE, (BEFORE + minutes) * MINUTE, BusyProgram.SCRAPE);
    for (Panel panel : panels) {
      draw(drawing, panel, scrapes, times);
    }
    return drawing.end();
  }

  private static void draw(Drawing drawing, Panel panel, Scrapes scrapes, Instants times) {
    double column = (WIDTH - 2 * MARGIN + GAP) / (double) COLUMNS;
    var box =
        new PanelFrame.Box(
            MARGIN + panel.grid("x") * column,
            TOP + panel.grid("y") * ROW,
            panel.grid("w") * column - GAP,
            panel.grid("h") * ROW - GAP);
    switch (panel.type()) {
      case "timeseries" ->
          new CurvePanel(panel, panel.curves(scrapes, times), times).draw(drawing, box);
      case "state-timeline" ->
          new StatePanel(panel, panel.curves(scrapes, times), times).draw(drawing, box);
      case "heatmap" -> {
        var minutes = new Instants(times.first(), times.last(), MINUTE);
        new HeatPanel(panel, panel.curves(scrapes, minutes), minutes).draw(drawing, box);
      }
      default -> throw new IllegalArgumentException("no picture of a panel " + panel.type());
    }
  }
}
