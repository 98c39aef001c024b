package dev.pacegate.simulator;

import dev.pacegate.Limiter;
import dev.pacegate.limit.Limits;
import dev.pacegate.simulator.drawing.Drawing;
import dev.pacegate.simulator.drawing.Legend;
import dev.pacegate.simulator.drawing.Pen;
import dev.pacegate.time.ManualTime;
import java.util.ArrayList;
import java.util.List;

/** Draws what each kind of limit makes of the same demand, released by real limiters. */
final class KindsPicture {

  private static final long MILLI = 1_000_000;
  private static final long ANSWER = 250 * MILLI;
  private static final long END = 4_200 * MILLI;
  private static final int LEFT = 236;
  private static final int RIGHT = 676;
  private static final int TOP = 116;
  private static final int STEP = 40;

  private record Kind(String limit, String words) {}

  private static final List<Kind> KINDS =
      List.of(
          new Kind("5/1s", "at most 5 in any second"),
          new Kind("peer(5/1s)", "the same, from each answer on"),
          new Kind("bucket(5/1s, burst=5)", "5 at once, then one by one"),
          new Kind("spacing(200ms)", "never two within 200 ms"),
          new Kind("fixed(5/1s)", "5 per window of its own"),
          new Kind("aligned(5/1s, margin=50ms)", "5 per second of the clock"),
          new Kind("warmup(5/1s, over=2s, cold=3)", "slow while cold"),
          new Kind("concurrent(2)", "at most 2 at work at once"));

  private final Drawing drawing;

  private KindsPicture(Drawing drawing) {
    this.drawing = drawing;
  }

  static String svg() {
    int bottom = TOP + KINDS.size() * STEP;
    String title = "The same 16 requests under each kind of limit";
    var picture = new KindsPicture(new Drawing(Axis.WIDTH, bottom + 66, title));
    return picture.draw(title, bottom);
  }

  /** One comes first, most come together a little later, the last ones after a rest. */
  private static List<Long> demand() {
    var instants = new ArrayList<Long>();
    instants.add(100 * MILLI);
    for (int i = 0; i < 12; i++) {
      instants.add(900 * MILLI);
    }
    for (int i = 0; i < 3; i++) {
      instants.add((3_600 + 150 * i) * MILLI);
    }
    return instants;
  }

  private String draw(String title, int bottom) {
    drawing.text(Pen.TITLE, "start", 16, 30, title);
    var legend = new Legend(drawing, 58);
    legend.dot(Pen.ASKED, "asked for");
    legend.dot(Pen.ACCEPTED, "started");
    legend.line(Pen.WAY_KEPT, "at work, 250 ms each");
    for (long second = 0; second * 1000 * MILLI < END; second++) {
      double x = x(second * 1000 * MILLI);
      drawing.line(Pen.GRID, x, 78, x, bottom + 14);
      drawing.text(Pen.LABEL, "middle", x, bottom + 32, second + " s");
    }
    row(TOP - 24, Pen.ASKED, "the program asks", "1, then 12, then 3", demand());
    for (int i = 0; i < KINDS.size(); i++) {
      Kind kind = KINDS.get(i);
      row(TOP + 20 + i * STEP, Pen.ACCEPTED, kind.limit(), kind.words(), starts(kind.limit()));
    }
    return drawing.end();
  }

  private void row(int y, Pen pen, String name, String words, List<Long> instants) {
    drawing.text(Pen.LABEL, "end", LEFT - 12, y + 4.5, name);
    drawing.text(Pen.LEGEND, "start", RIGHT + 14, y + 4.5, words);
    drawing.line(Pen.ROW, LEFT, y, RIGHT, y);
    for (int i = 0; i < instants.size(); ) {
      long instant = instants.get(i);
      int first = i;
      while (i < instants.size() && instants.get(i) == instant) {
        i++;
      }
      if (pen == Pen.ACCEPTED) {
        drawing.line(Pen.WAY_KEPT, x(instant), y, Math.min(RIGHT, x(instant + ANSWER)), y);
      }
      drawing.dot(pen, x(instant), y, 4);
      if (i - first > 1) {
        drawing.text(Pen.MANY, "middle", x(instant), y - 8, "×" + (i - first));
      }
    }
  }

  private static double x(long instant) {
    return LEFT + (double) instant / END * (RIGHT - LEFT);
  }

  /** Returns when a real limiter lets the demand go, in virtual time. */
  private static List<Long> starts(String limit) {
    ManualTime time = ManualTime.manual();
    var starts = new ArrayList<Long>();
    try (Limiter limiter =
        Limiter.builder(Limits.parse(limit)).time(time).executor(Runnable::run).build()) {
      for (long instant : demand()) {
        time.at(instant, () -> ask(limiter, time, starts));
      }
      while (time.advanceToNext()) {
        if (time.nanoTime() > END) {
          break;
        }
      }
    }
    starts.removeIf(instant -> instant > END);
    return starts;
  }

  private static void ask(Limiter limiter, ManualTime time, List<Long> starts) {
    var unused =
        limiter
            .acquireAsync()
            .thenAccept(
                permit -> {
                  starts.add(time.nanoTime());
                  time.at(time.nanoTime() + ANSWER, permit::answered);
                });
  }
}
