package dev.pacegate.simulator;

import dev.pacegate.simulator.drawing.Drawing;
import dev.pacegate.simulator.drawing.Legend;
import dev.pacegate.simulator.drawing.Pen;
import dev.pacegate.time.Durations;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Draws two tables of the measured page {@code docs/measured/excess.md}: the most in any interval.
 */
final class ExcessPicture {

  private static final int WIDTH = 720;
  private static final int LEFT = 258;
  private static final int UNIT = 150; // of what is allowed, in width
  private static final int ROW = 24;
  private static final int HEIGHT = 15;
  private static final int HEAD = 44;
  private static final Pattern FULLEST =
      Pattern.compile(
          "(?m)^\\| (?<name>[^|]+) \\|.* (?<most>\\d+) (?:\\|[^|]*\\| |of )(?<of>\\d+) \\|");

  private static final Pattern INTERVAL = Pattern.compile("/(\\d+[a-z]+)");

  /** How much of what is allowed was seen. */
  private record Bar(String name, long most, long allowed) {}

  /** The table below a heading. */
  private record Table(String heading, List<Bar> bars) {

    /** Returns the interval of the limit of the first row. */
    String interval() {
      Matcher found = INTERVAL.matcher(bars.get(0).name());
      if (!found.find()) {
        throw new IllegalArgumentException("no limit: " + bars.get(0));
      }
      return Findings.span(Durations.parseNanos(found.group(1)));
    }

    long allowed() {
      return bars.get(0).allowed();
    }
  }

  private final Drawing drawing;
  private double y = 78;

  private ExcessPicture(Drawing drawing) {
    this.drawing = drawing;
  }

  /** Draws what stands on the page. */
  static String svg(String page) {
    Table arriving = table(page, "8 requests a second at random");
    Table leaving = table(page, "In real time");
    String title = "The most in any interval, with the same limit in each library";
    int rows = arriving.bars().size() + leaving.bars().size();
    int height = 78 + 2 * HEAD + 16 + rows * ROW + 10;
    return new ExcessPicture(new Drawing(WIDTH, height, title)).draw(title, arriving, leaving);
  }

  private static Table table(String page, String heading) {
    Matcher section =
        Pattern.compile("(?s)\n##+ (" + heading + "[^\n]*)\n(.*?)(?=\n##|$)").matcher(page);
    var bars = new ArrayList<Bar>();
    if (section.find()) {
      Matcher row = FULLEST.matcher(section.group(2));
      while (row.find()) {
        long most = Long.parseLong(row.group("most"));
        String name = row.group("name").replace("`", "").replaceAll(", unanswered=\\w+", "");
        bars.add(new Bar(name.strip(), most, Long.parseLong(row.group("of"))));
      }
    }
    if (bars.isEmpty()) {
      throw new IllegalArgumentException(
          "docs/measured/excess.md has no table below \"" + heading + "\"");
    }
    return new Table(section.group(1), bars);
  }

  private String draw(String title, Table arriving, Table leaving) {
    drawing.text(Pen.TITLE, "start", 16, 30, title);
    var legend = new Legend(drawing, 58);
    legend.bar(Pen.ACCEPTED, "up to the limit");
    legend.bar(Pen.REJECTED_BAR, "above it");
    panel(
        "Reaching the API in any " + arriving.interval() + ", if it allows " + arriving.allowed(),
        "simulated: " + arriving.heading(),
        arriving.bars());
    y += 16;
    panel(
        "Leaving the program in any " + leaving.interval() + ", limit " + leaving.allowed(),
        "measured in real time: bursts with pauses between them",
        leaving.bars());
    return drawing.end();
  }

  private void panel(String heading, String words, List<Bar> bars) {
    drawing.text(Pen.CAPTION, "start", 16, y + 12, heading);
    drawing.text(Pen.LEGEND, "start", 16, y + 30, words);
    y += HEAD;
    double bottom = y + bars.size() * ROW - 4;
    for (Bar bar : bars) {
      double within = width(Math.min(bar.most(), bar.allowed()), bar);
      double whole = width(bar.most(), bar);
      drawing.text(Pen.LABEL, "end", LEFT - 10, y + 12, bar.name());
      drawing.rectangle(Pen.ACCEPTED, LEFT, y, within, HEIGHT, 0);
      drawing.rectangle(Pen.REJECTED_BAR, LEFT + within, y, whole - within, HEIGHT, 0);
      drawing.text(Pen.MANY, "start", LEFT + whole + 7, y + 12, "" + bar.most());
      y += ROW;
    }
    drawing.line(Pen.BOUND, LEFT + UNIT, y - bars.size() * ROW - 5, LEFT + UNIT, bottom);
  }

  private static double width(long many, Bar bar) {
    return (double) many / bar.allowed() * UNIT;
  }
}
