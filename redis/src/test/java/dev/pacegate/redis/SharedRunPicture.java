package dev.pacegate.redis;

import dev.pacegate.redis.SharedRun.Leased;
import dev.pacegate.redis.SharedRun.Side;
import dev.pacegate.simulator.drawing.Drawing;
import dev.pacegate.simulator.drawing.Legend;
import dev.pacegate.simulator.drawing.Letters;
import dev.pacegate.simulator.drawing.Pen;
import dev.pacegate.time.Durations;
import java.util.List;

/** Draws two processes that share a limit: their leases, and the fence after a loss. */
final class SharedRunPicture {

  private static final String LIMIT = "peer(10/1s, unanswered=1s)";
  private static final int WIDTH = 900;
  private static final int LEFT = 104;
  private static final int RIGHT = 876;
  private static final int STORE = 222;
  private static final int APART = 78; // a process from the store
  private static final int HEIGHT = 26;
  private static final int BOTTOM = 340;
  private static final long SECOND = 1000 * SharedRun.MILLI;

  private final SharedRun run;
  private final Drawing drawing;

  private SharedRunPicture(SharedRun run, Drawing drawing) {
    this.run = run;
    this.drawing = drawing;
  }

  static String svg() {
    String title = "Two processes share " + LIMIT + " through Redis";
    var drawing = new Drawing(WIDTH, BOTTOM + 84, title);
    return new SharedRunPicture(new SharedRun(LIMIT), drawing).draw(title);
  }

  private String draw(String title) {
    drawing.text(Pen.TITLE, "start", 16, 30, title);
    var legend = new Legend(drawing, 58);
    legend.line(Pen.WAY, "a call");
    legend.box(Pen.FULLEST_KEPT, "a lease: so many may start in this time");
    legend.dot(Pen.STARTED, "starts");
    legend.box(Pen.FULLEST_BROKEN, "the fence: Redis grants nothing");
    for (long at = 0; at <= SharedRun.END; at += SECOND) {
      drawing.line(Pen.GRID, x(at), 100, x(at), BOTTOM);
      drawing.text(Pen.LABEL, "middle", x(at), BOTTOM + 18, at / SECOND + " s");
    }
    for (int i = 0; i < run.sides.size(); i++) {
      side(run.sides.get(i), STORE + (i == 0 ? -APART : APART));
    }
    store();
    List<String> lines = Letters.lines(Pen.CAPTION, caption(), WIDTH - 32);
    for (int i = 0; i < lines.size(); i++) {
      drawing.text(Pen.CAPTION, "start", 16, BOTTOM + 46 + i * 20, lines.get(i));
    }
    return drawing.end();
  }

  private String caption() {
    return "The service counts at most "
        + run.most()
        + " of both together in any interval. Both may still use what they leased before the loss;"
        + " after the fence, "
        + Durations.brief(run.terms.fence() * 1000)
        + " later, none of that counts any more.";
  }

  private void store() {
    drawing.text(Pen.COUNT, "end", LEFT - 12, STORE + 5, "Redis");
    drawing.line(Pen.WINDOW, LEFT, STORE, RIGHT, STORE);
    for (long fence : run.fences) {
      double end = x(Math.min(SharedRun.END, fence + run.terms.fence() * 1000));
      double width = end - x(fence);
      drawing.rectangle(Pen.FULLEST_BROKEN, x(fence), STORE - 15, width, 30, 5);
      drawing.text(Pen.COUNT_BROKEN, "middle", x(fence) + width / 2, STORE + 5, "fence");
    }
    drawing.line(Pen.CUT, x(SharedRun.LOSS), 96, x(SharedRun.LOSS), STORE);
    drawing.cross(Pen.REJECTED, x(SharedRun.LOSS), STORE, 6);
    String loss = "Redis restarts and has forgotten everything";
    drawing.text(Pen.LABEL, "middle", x(SharedRun.LOSS), 90, loss);
  }

  private void side(Side side, int y) {
    drawing.text(Pen.COUNT, "end", LEFT - 12, y + 5, side.name);
    drawing.line(Pen.ROW, LEFT, y, RIGHT, y);
    int toStore = y < STORE ? 1 : -1;
    for (long call : side.calls) {
      drawing.line(Pen.WAY, x(call), y + toStore * HEIGHT / 2.0, x(call), STORE - toStore * 15);
    }
    for (Leased lease : side.leases) {
      double width = x(lease.until()) - x(lease.from());
      drawing.rectangle(Pen.FULLEST_KEPT, x(lease.from()), y - HEIGHT / 2.0, width, HEIGHT, 3);
      double above = y - toStore * (HEIGHT / 2.0 + 10) + 5;
      drawing.text(Pen.MANY, "middle", x(lease.from()) + width / 2, above, "" + lease.units());
    }
    for (long start : side.starts) {
      drawing.dot(Pen.STARTED, x(start), y, 2.0);
    }
  }

  private static double x(long nanos) {
    return LEFT + (double) nanos / SharedRun.END * (RIGHT - LEFT);
  }

  /** Returns what it shows in numbers: limit, most that was counted, number of fences. */
  static List<Long> facts() {
    var run = new SharedRun(LIMIT);
    return List.of(run.terms.terms().get(0).capacity(), run.most(), (long) run.fences.size());
  }
}
