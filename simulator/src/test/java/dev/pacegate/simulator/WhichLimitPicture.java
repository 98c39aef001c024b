package dev.pacegate.simulator;

import dev.pacegate.simulator.drawing.Drawing;
import dev.pacegate.simulator.drawing.Letters;
import dev.pacegate.simulator.drawing.Pen;
import java.util.ArrayList;
import java.util.List;

/** Draws the questions that lead to a limit. */
final class WhichLimitPicture {

  private static final int WIDTH = 720;
  private static final int LEFT = 16;
  private static final int RIGHT = 358;
  private static final int ANSWER = 416;
  private static final int END = WIDTH - 16;
  private static final int TOP = 56;
  private static final int STEP = 74;
  private static final int HEIGHT = 50;

  /** A question, and the limit to take if the answer is yes. */
  private record Question(String text, String limit, String words) {}

  private static final List<Question> QUESTIONS =
      List.of(
          new Question(
              "Do they limit how many requests are open at once?",
              "concurrent(4)",
              "at most 4 at a time"),
          new Question(
              "Do they want a gap between any two requests, and never two at once?",
              "peer(spacing(3s))",
              "one every 3 seconds"),
          new Question(
              "Does their count restart at times that you know: each minute of the clock, midnight?",
              "aligned(1200/1m)",
              "1200 per minute of the clock"),
          new Question(
              "Do they allow a burst and then a rate, as a token bucket does?",
              "peer(bucket(100/1m, burst=20))",
              "100 per minute, burst 20"),
          new Question(
              "Do they estimate the rate from this window and the one before (HAProxy, Cloudflare)?",
              "peer(bucket(8/1s, burst=2))",
              "10 per second, estimated"),
          new Question(
              "Does an occasional 429 do no harm, and is throughput more important?",
              "10/1m",
              "10 starts in any minute"));

  private static final Question OTHERWISE =
      new Question("", "peer(10/1m)", "10 per minute, as they count");

  private static final String JOINED = "peer(10/1s & 200/1m) & aligned(5000/1d) & concurrent(8)";

  private final Drawing drawing;

  private WhichLimitPicture(Drawing drawing) {
    this.drawing = drawing;
  }

  static String svg() {
    String title = "Which limit? Six questions about the service";
    int height = TOP + 7 * STEP + 36;
    return new WhichLimitPicture(new Drawing(WIDTH, height, title)).draw(title);
  }

  /** Returns every limit that it shows. */
  static List<String> limits() {
    var limits = new ArrayList<>(QUESTIONS.stream().map(Question::limit).toList());
    limits.add(OTHERWISE.limit());
    limits.add(JOINED);
    return limits;
  }

  private String draw(String title) {
    drawing.text(Pen.TITLE, "start", LEFT, 30, title);
    for (int i = 0; i < QUESTIONS.size(); i++) {
      question(QUESTIONS.get(i), i);
    }
    int last = QUESTIONS.size();
    double middle = (LEFT + RIGHT) / 2.0;
    arrow(middle, y(last) + HEIGHT / 2.0, ANSWER, y(last) + HEIGHT / 2.0);
    drawing.line(Pen.WINDOW, middle, y(last) - STEP + HEIGHT, middle, y(last) + HEIGHT / 2.0);
    drawing.text(Pen.LABEL, "start", middle + 8, y(last) - 7, "no");
    limit(OTHERWISE, last);
    String joined = "Several apply? Join them: " + JOINED;
    drawing.text(Pen.LABEL, "start", LEFT, TOP + 7 * STEP + 16, joined);
    return drawing.end();
  }

  private void question(Question question, int row) {
    double y = y(row);
    double middle = y + HEIGHT / 2.0;
    drawing.rectangle(Pen.WINDOW, LEFT, y, RIGHT - LEFT, HEIGHT, 6);
    List<String> lines = Letters.lines(Pen.LABEL, question.text(), RIGHT - LEFT - 24);
    for (int i = 0; i < lines.size(); i++) {
      double line = middle + 4.5 + (i - (lines.size() - 1) / 2.0) * 18;
      drawing.text(Pen.LABEL, "start", LEFT + 12, line, lines.get(i));
    }
    drawing.text(Pen.LABEL, "middle", (RIGHT + ANSWER) / 2.0 - 3, middle - 6, "yes");
    arrow(RIGHT, middle, ANSWER, middle);
    limit(question, row);
    if (row + 1 < QUESTIONS.size()) {
      double x = (LEFT + RIGHT) / 2.0;
      arrow(x, y + HEIGHT, x, y(row + 1));
      drawing.text(Pen.LABEL, "start", x + 8, y + HEIGHT + 17, "no");
    }
  }

  private void limit(Question question, int row) {
    double x = (ANSWER + END) / 2.0;
    drawing.rectangle(Pen.FULLEST_KEPT, ANSWER, y(row), END - ANSWER, HEIGHT, 6);
    drawing.text(Pen.COUNT_KEPT, "middle", x, y(row) + 21, question.limit());
    drawing.text(Pen.LEGEND, "middle", x, y(row) + 40, question.words());
  }

  /** Draws an arrow to the right or down. */
  private void arrow(double x1, double y1, double x2, double y2) {
    drawing.line(Pen.WINDOW, x1, y1, x2, y2);
    if (y1 == y2) {
      drawing.line(Pen.WINDOW, x2 - 6, y2 - 4, x2, y2);
      drawing.line(Pen.WINDOW, x2 - 6, y2 + 4, x2, y2);
    } else {
      drawing.line(Pen.WINDOW, x2 - 4, y2 - 6, x2, y2);
      drawing.line(Pen.WINDOW, x2 + 4, y2 - 6, x2, y2);
    }
  }

  private static double y(int row) {
    return TOP + row * STEP;
  }
}
