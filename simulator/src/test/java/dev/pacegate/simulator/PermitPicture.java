package dev.pacegate.simulator;

import dev.pacegate.simulator.drawing.Drawing;
import dev.pacegate.simulator.drawing.Legend;
import dev.pacegate.simulator.drawing.Pen;

/** Draws the life of a permit under {@code peer(10/1s)}, by how it ends. */
final class PermitPicture {

  private static final int LEFT = 210;
  private static final int TOP = 112;
  private static final int STEP = 58;
  private static final int HEIGHT = 26;

  // Not to scale: instants as places.
  private static final int STARTED = 330;
  private static final int ENDED = 450;
  private static final int UNANSWERED = 620;
  private static final int INTERVAL = 120;

  private final Drawing drawing;

  private PermitPicture(Drawing drawing) {
    this.drawing = drawing;
  }

  static String svg() {
    String title = "How a permit of peer(10/1s) ends, and until when it counts";
    return new PermitPicture(new Drawing(Axis.WIDTH, TOP + 4 * STEP + 62, title)).draw(title);
  }

  private String draw(String title) {
    drawing.text(Pen.TITLE, "start", 16, 30, title);
    var legend = new Legend(drawing, 58);
    legend.box(Pen.WINDOW, "waits: counts nothing");
    legend.box(Pen.FULLEST_KEPT, "counts as one of the 10");
    int bottom = TOP + 4 * STEP;
    mark(STARTED, "it starts", bottom);
    mark(ENDED, "it ends", bottom);
    mark(UNANSWERED, "10 s after its start", bottom);
    row(0, "answered()", "the answer is in", ENDED + INTERVAL);
    row(1, "notSent()", "it never left", ENDED);
    row(2, "lost(), or no word", "the peer may still count it", UNANSWERED + INTERVAL);
    waits(3, "time-out, cancel", "it gave up the queue");
    counts(STARTED, ENDED, 0, "open");
    counts(ENDED, ENDED + INTERVAL, 0, "1 s");
    counts(STARTED, ENDED, 1, "open");
    counts(STARTED, ENDED, 2, "open");
    counts(ENDED, UNANSWERED, 2, "may still arrive");
    counts(UNANSWERED, UNANSWERED + INTERVAL, 2, "1 s");
    String caption = "1 s is the interval of the limit, 10 s its option unanswered. Not to scale.";
    drawing.text(Pen.CAPTION, "start", 16, bottom + 46, caption);
    return drawing.end();
  }

  private void mark(int x, String words, int bottom) {
    drawing.line(Pen.GRID, x, TOP - 14, x, bottom);
    drawing.text(Pen.LABEL, "middle", x, TOP - 20, words);
  }

  private void row(int row, String name, String words, int free) {
    waits(row, name, words);
    drawing.text(Pen.LABEL, "start", free + 12, y(row) + 18, "free");
  }

  private void waits(int row, String name, String words) {
    drawing.text(Pen.COUNT, "end", LEFT - 16, y(row) + 11, name);
    drawing.text(Pen.LEGEND, "end", LEFT - 16, y(row) + 28, words);
    drawing.rectangle(Pen.WINDOW, LEFT, y(row), STARTED - LEFT, HEIGHT, 4);
    drawing.text(Pen.LABEL, "middle", (LEFT + STARTED) / 2.0, y(row) + 18, "waits");
  }

  private void counts(int from, int to, int row, String words) {
    drawing.rectangle(Pen.FULLEST_KEPT, from, y(row), to - from, HEIGHT, 4);
    drawing.text(Pen.COUNT_KEPT, "middle", (from + to) / 2.0, y(row) + 18, words);
  }

  private static int y(int row) {
    return TOP + row * STEP;
  }
}
