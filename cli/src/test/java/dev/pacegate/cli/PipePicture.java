package dev.pacegate.cli;

import dev.pacegate.simulator.drawing.Drawing;
import dev.pacegate.simulator.drawing.Legend;
import dev.pacegate.simulator.drawing.Pen;
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
  private static final int LINES = 45;
  private static final long SECOND = 1_000_000_000;
  private static final List<Integer> SHOWN = List.of(1, 4, 8); // seconds
  private static final int LAST = 9;

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
    for (int seconds : SHOWN) {
      String line = LiveLine.text(written(seconds), "lines", seconds * SECOND, limit);
      code("after " + seconds + " s", line, Pen.COUNT_KEPT);
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

  /** Returns how many lines had been written after so many seconds. */
  private long written(int seconds) {
    return session.writes.stream()
        .filter(write -> write.at() <= seconds * SECOND)
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
