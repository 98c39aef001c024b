package dev.pacegate.simulator;

import dev.pacegate.Limiter;
import dev.pacegate.Share;
import dev.pacegate.simulator.drawing.Drawing;
import dev.pacegate.simulator.drawing.Legend;
import dev.pacegate.simulator.drawing.Pen;
import dev.pacegate.time.Durations;
import dev.pacegate.time.ManualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Draws how long two classes of callers of one limiter wait, with lanes and without. */
final class LanesPicture {

  private static final int WIDTH = 720;
  private static final int LEFT = 112;
  private static final int RIGHT = 530;
  private static final int TOP = 92;
  private static final int PANEL = 92;
  private static final int ROW = 26;

  private static final String LIMIT = "100/1m";
  private static final long BATCH = 300; // requests at once
  private static final long MINUTE = Durations.parseNanos("1m");
  private static final long EVERY = 4 * MINUTE;
  private static final long GAP = Durations.parseNanos("4s"); // on average, of the interactive ones
  private static final long END = Durations.parseNanos("1h");

  /** How long the requests of the two classes waited, in order of length. */
  private record Both(List<Long> interactive, List<Long> batch) {}

  private final Drawing drawing;
  private double unit;

  private LanesPicture(Drawing drawing) {
    this.drawing = drawing;
  }

  static String svg() {
    String title = "Two kinds of callers under one limit of " + LIMIT + ": how long they wait";
    return new LanesPicture(new Drawing(WIDTH, TOP + 3 * PANEL + 62, title)).draw(title);
  }

  private String draw(String title) {
    Share batch = Share.weight(1);
    List<Both> all =
        List.of(
            waits(), waits(Share.weight(3), batch), waits(Share.weight(3).reserving(20), batch));
    long longest = 0;
    for (Both each : all) {
      longest = Math.max(longest, Math.max(last(each.interactive), last(each.batch)));
    }
    unit = (RIGHT - LEFT) / (double) longest;
    drawing.text(Pen.TITLE, "start", 16, 30, title);
    var legend = new Legend(drawing, 58);
    legend.bar(Pen.ACCEPTED, "half of the waits are no longer");
    legend.line(Pen.WAY_KEPT, "up to the longest");
    drawing.text(Pen.LEGEND, "start", 16, 76, demand());
    axis(longest);
    panel(0, "one queue for all", all.get(0));
    panel(1, "lanes of weight 3 and 1", all.get(1));
    panel(2, "the same, with 20 % reserved for interactive", all.get(2));
    return drawing.end();
  }

  private static String demand() {
    return "interactive: one every "
        + Findings.span(GAP)
        + " on average; batch: "
        + BATCH
        + " at once every "
        + EVERY / MINUTE
        + " min";
  }

  private void axis(long longest) {
    int bottom = TOP + 3 * PANEL;
    for (long at = 0; at <= longest; at += MINUTE) {
      double x = LEFT + at * unit;
      drawing.line(Pen.GRID, x, TOP, x, bottom);
      drawing.text(Pen.LABEL, "middle", x, bottom + 18, at / MINUTE + " min");
    }
    drawing.text(Pen.LABEL, "middle", (LEFT + RIGHT) / 2.0, bottom + 42, "time in the queue");
  }

  private void panel(int number, String name, Both waits) {
    double y = TOP + number * PANEL + 16;
    drawing.text(Pen.CAPTION, "start", 16, y + 4, name);
    row(y + 16, "interactive", waits.interactive, Pen.ACCEPTED, Pen.WAY_KEPT);
    row(y + 16 + ROW, "batch", waits.batch, Pen.STARTED, Pen.LOST);
  }

  private void row(double y, String name, List<Long> waits, Pen bar, Pen line) {
    double end = LEFT + last(waits) * unit;
    drawing.text(Pen.LABEL, "end", LEFT - 10, y + 12, name);
    drawing.line(Pen.ROW, LEFT, y, LEFT, y + 16);
    drawing.rectangle(bar, LEFT, y + 3, median(waits) * unit, 10, 0);
    drawing.line(line, LEFT + median(waits) * unit, y + 8, end, y + 8);
    drawing.line(line, end, y + 3, end, y + 13);
    String words = "half " + span(median(waits)) + ", longest " + span(last(waits));
    drawing.text(Pen.LEGEND, "start", RIGHT + 12, y + 12, words);
  }

  private static String span(long nanos) {
    return Math.round(nanos / 1e9) + " s";
  }

  private static long median(List<Long> sorted) {
    return sorted.get(sorted.size() / 2);
  }

  private static long last(List<Long> sorted) {
    return sorted.get(sorted.size() - 1);
  }

  /** Runs a real limiter in virtual time, with a lane for each class if there are shares. */
  private static Both waits(Share... shares) {
    ManualTime time = ManualTime.manual();
    var builder = Limiter.builder(LIMIT).time(time).executor(Runnable::run);
    if (shares.length > 0) {
      builder.lane("interactive", shares[0]).lane("batch", shares[1]);
    }
    var interactive = new ArrayList<Long>();
    var batch = new ArrayList<Long>();
    try (Limiter limiter = builder.build()) {
      Limiter first = shares.length == 0 ? limiter : limiter.lane("interactive");
      Limiter second = shares.length == 0 ? limiter : limiter.lane("batch");
      var chance = new Chance(1);
      for (long at = 0; at < END; at += (long) (GAP * chance.exponential())) {
        time.at(at, () -> ask(first, time, interactive));
      }
      for (long at = EVERY / 4; at < END; at += EVERY) {
        for (int i = 0; i < BATCH; i++) {
          time.at(at, () -> ask(second, time, batch));
        }
      }
      time.advance(Duration.ofNanos(2 * END));
    }
    return new Both(sorted(interactive), sorted(batch));
  }

  private static void ask(Limiter limiter, ManualTime time, List<Long> waits) {
    long asked = time.nanoTime();
    var unused =
        limiter
            .acquireAsync()
            .thenAccept(
                permit -> {
                  waits.add(time.nanoTime() - asked);
                  permit.answered();
                });
  }

  private static List<Long> sorted(List<Long> waits) {
    return waits.stream().sorted().toList();
  }
}
