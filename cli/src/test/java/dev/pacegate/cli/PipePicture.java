package dev.pacegate.cli;

import dev.pacegate.Limiter;
import dev.pacegate.simulator.drawing.Drawing;
import dev.pacegate.simulator.drawing.Legend;
import dev.pacegate.simulator.drawing.Pen;
import dev.pacegate.time.ManualTime;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Draws a terminal in which {@code pipe} ran, in virtual time, and when it wrote which lines. */
final class PipePicture {

  private static final int WIDTH = 720;
  private static final int LEFT = 16;
  private static final int TOP = 48;
  private static final int ROW = 22;
  private static final int INSIDE = 118; // where the terminal's text begins
  private static final int LINES = 60;
  private static final long SECOND = 1_000_000_000;
  private static final List<Integer> SHOWN = List.of(2, 6, 11); // seconds
  private static final int LAST = 12;

  private final Session session;
  private final Drawing drawing;
  private double y = TOP + 26;

  private PipePicture(Session session, Drawing drawing) {
    this.session = session;
    this.drawing = drawing;
  }

  static String svg() {
    String input =
        IntStream.rangeClosed(1, LINES).mapToObj(i -> i + "\n").collect(Collectors.joining());
    Session session = Session.given(input).run("pipe", "5/1s");
    String title = "pipe redraws one line while it paces " + LINES + " lines";
    int rows = 3 + SHOWN.size();
    int height = TOP + 18 + rows * ROW + 122;
    return new PipePicture(session, new Drawing(WIDTH, height, title)).draw(title, rows);
  }

  private String draw(String title, int rows) {
    drawing.text(Pen.TITLE, "start", LEFT, 30, title);
    drawing.rectangle(Pen.WINDOW, LEFT, TOP, WIDTH - 2 * LEFT, 16 + rows * ROW, 6);
    List<String> said = session.err().lines().toList();
    code("", "$ seq " + LINES + " | ./pacegate pipe 5/1s > sent.txt", Pen.CAPTION);
    code("", said.get(0), Pen.LABEL);
    String limit = said.get(0).replaceAll(".* ", "");
    var time = ManualTime.manual();
    var work = new ProgressTest.Plan("lines");
    var progress = new Progress(Limiter.builder(limit).time(time).build(), work);
    for (int quarters = 0; quarters <= 4 * LAST; quarters++) {
      work.done = written(quarters * SECOND / 4);
      progress.look();
      if (quarters % 4 == 0 && SHOWN.contains(quarters / 4)) {
        code("after " + quarters / 4 + " s", progress.text(), Pen.COUNT_KEPT);
      }
      time.advance(Duration.ofMillis(250));
    }
    code("at the end", "$", Pen.CAPTION);
    axis(TOP + 16 + rows * ROW + 84);
    return drawing.end();
  }

  private void code(String when, String words, Pen pen) {
    drawing.text(Pen.LEGEND, "start", LEFT + 14, y, when);
    drawing.code(pen, INSIDE, y, words);
    y += ROW;
  }

  /** Returns how many lines had been written after some time. */
  private long written(long nanos) {
    return session.writes.stream()
        .filter(write -> write.at() <= nanos)
        .mapToLong(write -> write.text().lines().count())
        .sum();
  }

  private void axis(double row) {
    new Legend(drawing, row - 52).dot(Pen.ACCEPTED, "a line is written to sent.txt");
    drawing.line(Pen.ROW, x(0), row, x(LAST * SECOND), row);
    for (int seconds = 0; seconds <= LAST; seconds++) {
      double x = x(seconds * SECOND);
      drawing.line(Pen.GRID, x, row - 40, x, row + 10);
      drawing.text(Pen.LABEL, "middle", x, row + 28, seconds + " s");
    }
    for (Session.Written write : session.writes) {
      long lines = write.text().lines().count();
      for (int i = 0; i < lines; i++) {
        drawing.dot(Pen.ACCEPTED, x(write.at()), row - i * 8, 3.4);
      }
    }
  }

  private static double x(long nanos) {
    return 40 + (double) nanos / (LAST * SECOND) * 620;
  }
}
