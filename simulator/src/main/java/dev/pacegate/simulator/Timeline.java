package dev.pacegate.simulator;

import dev.pacegate.simulator.drawing.Drawing;
import dev.pacegate.simulator.drawing.Legend;
import dev.pacegate.simulator.drawing.Letters;
import dev.pacegate.simulator.drawing.Pen;
import java.util.ArrayList;
import java.util.List;

/**
 * Draws a stretch of a run: when requests started, their way to the peer, and what the peer made of
 * them. An SVG with literal colours, which follows the page's dark style where a renderer can.
 */
public final class Timeline {

  private static final int MARGIN = 16;
  private static final int MOST_FLIGHTS = 120; // more lines than that look like a bar code
  private static final double TEXT_WIDTH = Axis.WIDTH - 2.0 * MARGIN;

  private final Scene scene;
  private final Axis axis;
  private final Headline headline;
  private final List<String> facts;
  private final List<String> caption;
  private final boolean dense;
  private final Rows rows;
  private final Drawing drawing;

  private Timeline(Scene scene) {
    this.scene = scene;
    this.axis = new Axis(scene.from(), scene.to());
    this.headline = new Headline(scene.outcome());
    this.facts = Letters.lines(Pen.FACTS, headline.facts(), TEXT_WIDTH);
    this.caption = Letters.lines(Pen.CAPTION, Caption.of(scene), TEXT_WIDTH);
    this.dense = scene.requests().size() > MOST_FLIGHTS;
    boolean gauge = Gauge.fits(scene.rule());
    double top = legend() + 14;
    boolean asked = !(scene.outcome().scenario().client().demand() instanceof Demand.Always);
    this.rows = dense ? Rows.ofBars(top, gauge) : Rows.ofRequests(top, asked, gauge);
    int height = (int) rows.bottom() + 46 + caption.size() * 20;
    this.drawing = new Drawing(Axis.WIDTH, height, headline.sentence() + ". " + headline.facts());
  }

  /** Returns a drawing of the worst stretch of a run, or one in the middle if none was refused. */
  public static String svg(SimulationResult outcome) {
    return svg(outcome, outcome);
  }

  /**
   * Returns a drawing to put beside that of another run: of the worst stretch of {@code outcome},
   * or if none was refused, of the stretch in which {@code beside} was.
   */
  public static String svg(SimulationResult outcome, SimulationResult beside) {
    return svg(outcome, beside, time -> Pacer.of(outcome.scenario().limit(), time));
  }

  /**
   * Returns a drawing of each run of a study: of its worst stretch, or of the one in which the last
   * run before it that the peer refused any of was refused; if there is none, the next such run.
   */
  public static List<String> svgs(List<SimulationResult> outcomes) {
    var drawings = new ArrayList<String>();
    for (int i = 0; i < outcomes.size(); i++) {
      drawings.add(svg(outcomes.get(i), beside(outcomes, i)));
    }
    return drawings;
  }

  private static SimulationResult beside(List<SimulationResult> outcomes, int index) {
    for (int i = index; i >= 0; i--) {
      if (!outcomes.get(i).kept()) {
        return outcomes.get(i);
      }
    }
    return outcomes.stream().filter(o -> !o.kept()).findFirst().orElse(outcomes.get(index));
  }

  /** As {@link #svg(SimulationResult)}, of a run that used another pacer. */
  public static String svg(SimulationResult outcome, Pacer.Maker maker) {
    return svg(outcome, outcome, maker);
  }

  private static String svg(SimulationResult outcome, SimulationResult beside, Pacer.Maker maker) {
    return new Timeline(Scene.of(outcome, beside, maker)).draw();
  }

  private double legend() {
    return 52 + facts.size() * 18 + 6;
  }

  private String draw() {
    drawing.text(Pen.TITLE, "start", MARGIN, 30, headline.sentence());
    paragraph(Pen.FACTS, facts, 52, 18);
    explain(new Legend(drawing, legend()));
    var windows = new Windows(scene, axis, drawing, rows);
    if (!Gauge.fits(scene.rule())) {
      windows.band();
    }
    axis.draw(drawing, rows.top(), rows.bottom());
    if (rows.showsAsked()) {
      row("asked", rows.asked());
    }
    row("started", rows.started());
    row("at the API", rows.counted());
    if (dense) {
      new Bars(scene, axis, drawing, rows).draw();
    } else {
      new Flights(scene, axis, drawing, rows).draw();
    }
    if (Gauge.fits(scene.rule())) {
      new Gauge(scene, axis, drawing, rows).draw();
    } else {
      windows.draw();
    }
    paragraph(Pen.CAPTION, caption, rows.bottom() + 46, 20);
    return drawing.end();
  }

  private void paragraph(Pen pen, List<String> lines, double y, int leading) {
    for (int i = 0; i < lines.size(); i++) {
      drawing.text(pen, "start", MARGIN, y + i * leading, lines.get(i));
    }
  }

  private void row(String name, double y) {
    drawing.text(Pen.LABEL, "end", Axis.LEFT - 14, y + 4.5, name);
    drawing.line(Pen.ROW, Axis.LEFT, y, Axis.RIGHT, y);
  }

  private void explain(Legend legend) {
    boolean refuses = scene.outcome().scenario().peer().refuses();
    String bad = refuses ? "rejected" : "too many";
    if (dense) {
      legend.bar(Pen.STARTED, "started");
      legend.bar(Pen.ACCEPTED, "accepted");
      legend.bar(Pen.REJECTED_BAR, bad);
      legend.words("each bar " + Findings.span(Bars.step(axis)));
    } else {
      if (rows.showsAsked()) {
        legend.dot(Pen.ASKED, "asked for");
      }
      legend.dot(Pen.STARTED, "started");
      legend.line(Pen.WAY, way());
      legend.dot(Pen.ACCEPTED, "accepted");
      legend.cross(Pen.REJECTED, bad);
    }
    if (scene.rule() instanceof Rule.Gap) {
      legend.box(Pen.WINDOW, "shortest gap");
    } else if (!Gauge.fits(scene.rule())) {
      legend.box(Pen.WINDOW, "window of the API");
    }
  }

  /** Returns what lasts from the start of a request until the peer counts it. */
  private String way() {
    return switch (scene.outcome().scenario().peer().counts()) {
      case ARRIVAL -> "on the way";
      case DISPATCH -> "until the API counts it";
      case COMPLETION -> "on the way and at work";
    };
  }
}
