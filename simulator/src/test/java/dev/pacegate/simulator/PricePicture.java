package dev.pacegate.simulator;

import dev.pacegate.limit.Limit;
import dev.pacegate.limit.Limits;
import dev.pacegate.simulator.drawing.Drawing;
import dev.pacegate.simulator.drawing.Legend;
import dev.pacegate.simulator.drawing.Pen;
import dev.pacegate.time.Durations;
import java.util.List;
import java.util.Locale;

/** Draws how much of a limit {@code peer} leaves, by how long a response takes. */
final class PricePicture {

  private static final int WIDTH = 720;
  private static final int LEFT = 62;
  private static final int RIGHT = 560;
  private static final int TOP = 102;
  private static final int BOTTOM = 352;
  private static final double LEAST = nanos("10ms");
  private static final double MOST = nanos("1m");
  private static final int STEPS = 120; // of a curve
  private static final double ALL = 0.99; // shares above need no number
  private static final int ROOM = 24; // of a number, in height

  private static final List<String> TIMES = List.of("10ms", "100ms", "1s", "10s", "1m");
  private static final List<String> SIMULATED = List.of("40ms", "100ms", "1s", "10s");

  /** A limit, which is a curve with a pen of its own. */
  private record Curve(String limit, String words, Pen line, Pen dot) {}

  private static final List<Curve> CURVES =
      List.of(
          new Curve("10/1s", "10 per second", Pen.WAY_BROKEN, Pen.REJECTED_BAR),
          new Curve("10/10s", "10 per 10 seconds", Pen.LOST, Pen.STARTED),
          new Curve("10/1m", "10 per minute", Pen.LEVEL, Pen.ACCEPTED));

  private final Drawing drawing;

  private PricePicture(Drawing drawing) {
    this.drawing = drawing;
  }

  static String svg() {
    String title = "What peer costs: long responses leave less of a short interval";
    return new PricePicture(new Drawing(WIDTH, BOTTOM + 62, title)).draw(title);
  }

  private String draw(String title) {
    drawing.text(Pen.TITLE, "start", 16, 30, title);
    var legend = new Legend(drawing, 58);
    legend.line(Pen.LEVEL, "interval / (interval + margin + response time)");
    legend.dot(Pen.ACCEPTED, "simulated");
    drawing.text(Pen.LABEL, "start", 16, TOP - 20, "share of the limit");
    for (int percent = 0; percent <= 100; percent += 25) {
      double y = y(percent / 100.0);
      drawing.line(Pen.GRID, LEFT, y, RIGHT, y);
      drawing.text(Pen.LABEL, "end", LEFT - 8, y + 4.5, percent + " %");
    }
    for (String time : TIMES) {
      double x = x(nanos(time));
      drawing.line(Pen.GRID, x, TOP, x, BOTTOM);
      drawing.text(Pen.LABEL, "middle", x, BOTTOM + 18, spaced(time));
    }
    drawing.text(Pen.LABEL, "middle", (LEFT + RIGHT) / 2.0, BOTTOM + 42, "response time");
    CURVES.forEach(this::curve);
    for (String time : SIMULATED) {
      dots(time);
    }
    return drawing.end();
  }

  /** Returns for example {@code 10 ms} of {@code 10ms}. */
  private static String spaced(String time) {
    return time.replaceAll("(?<=\\d)(?=\\D)", " ").replaceAll("m$", "min");
  }

  private void curve(Curve curve) {
    var path = new StringBuilder();
    for (int step = 0; step <= STEPS; step++) {
      double hold = LEAST * Math.pow(MOST / LEAST, (double) step / STEPS);
      path.append(step == 0 ? 'M' : 'L');
      path.append(String.format(Locale.ROOT, "%.1f %.1f", x(hold), y(expected(curve, hold))));
    }
    drawing.path(curve.line(), path.toString());
    drawing.text(Pen.LABEL, "start", RIGHT + 8, y(expected(curve, MOST)) + 4.5, curve.words());
  }

  /** Draws what a simulation gives, from below, and the numbers that have room. */
  private void dots(String response) {
    double free = BOTTOM + ROOM;
    for (Curve curve : CURVES) {
      double share = simulated(curve, response);
      double x = x(nanos(response));
      double y = y(share);
      String percent = Math.round(share * 100) + " %";
      drawing.dot(curve.dot(), x, y, 4);
      boolean above = curve.line() == Pen.LEVEL; // the highest curve
      if (above && share < ALL) {
        drawing.text(Pen.MANY, "start", x + 2, y - 8, percent);
      } else if (!above && y + ROOM <= free) {
        free = y;
        drawing.text(Pen.MANY, "end", x - 7, y + 13, percent);
      }
    }
  }

  private static double expected(Curve curve, double hold) {
    return Theory.perNano(peer(curve), hold) / Theory.perNano(Limits.parse(curve.limit()), 0);
  }

  private static double simulated(Curve curve, String response) {
    SimulationResult outcome =
        Worlds.run(
            peer(curve).toString(),
            "sliding(" + curve.limit() + ")",
            "delay",
            "0s",
            "work",
            response,
            "sends",
            "400");
    return outcome.shareOfPeer();
  }

  private static double nanos(String time) {
    return (double) Durations.parseNanos(time);
  }

  private static Limit peer(Curve curve) {
    return Limits.parse("peer(" + curve.limit() + ")");
  }

  private static double x(double nanos) {
    return LEFT + Math.log(nanos / LEAST) / Math.log(MOST / LEAST) * (RIGHT - LEFT);
  }

  private static double y(double share) {
    return BOTTOM - share * (BOTTOM - TOP);
  }
}
