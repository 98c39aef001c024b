package dev.pacegate.simulator;

import dev.pacegate.time.Durations;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;

/**
 * Draws what happened around the worst that the peer saw: requests asked for and released, their
 * way to the peer, and what the peer counted. An SVG that follows the page's light or dark style.
 */
public final class Timeline {

  private static final String STYLE =
      """

      svg { --paper:#fff; --ink:#1f2328; --soft:#6e7781; --faint:#d0d7de; --way:#8c96a0;
        --go:#0969da; --good:#1a7f37; --goodfill:#dafbe1; --bad:#cf222e; --badfill:#ffebe9;
        font-family: system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif; }
      @media (prefers-color-scheme: dark) { svg { --paper:#0d1117; --ink:#e6edf3; --soft:#9198a1;
        --faint:#30363d; --way:#656c76; --go:#58a6ff; --good:#3fb950; --goodfill:#12261e;
        --bad:#ff7b72; --badfill:#3c1618; } }
      .paper { fill:var(--paper) } text { fill:var(--ink); font-size:13px }
      .title { font-size:16px; font-weight:600 } .soft { fill:var(--soft) }
      .caption { font-size:14px } .many { fill:var(--go); font-size:12px; font-weight:600 }
      .count { font-weight:600; font-size:14px }
      .axis, .row { stroke:var(--faint); stroke-width:1 } .grid { stroke:var(--faint);
        stroke-width:1; stroke-dasharray:2 4 }
      .wait { stroke:var(--faint); stroke-width:1 } .way { stroke:var(--way); stroke-width:1 }
      .hot { stroke:var(--bad); stroke-width:1.6 } .lit { stroke:var(--good); stroke-width:1.4 }
      .asked { fill:var(--paper); stroke:var(--soft); stroke-width:1.2 } .go { fill:var(--go) }
      .in { fill:var(--good) } .over { fill:none; stroke:var(--bad); stroke-width:2.6 }
      .lost { fill:none; stroke:var(--soft); stroke-width:1.6 }
      .box { fill:none; stroke:var(--soft); stroke-width:1.2 }
      .goodbox { fill:var(--goodfill); stroke:var(--good); stroke-width:1.6 }
      .badbox { fill:var(--badfill); stroke:var(--bad); stroke-width:2 }
      .overbox { fill:none; stroke:var(--bad); stroke-width:1.2 } text.over { fill:var(--bad);
        stroke:none }
      .cut { stroke:var(--bad); stroke-width:1.2; stroke-dasharray:3 3 }
      .badband { fill:var(--badfill) } .goodband { fill:var(--goodfill) }
      .level { fill:none; stroke:var(--go); stroke-width:1.6 } text.bad { fill:var(--bad) }
      text.good { fill:var(--good) }
      """;

  private static final int WIDTH = 900;
  private static final int LEFT = 104;
  private static final int RIGHT = 884;
  private static final int ASKED = 84;
  private static final int RELEASED = 124;
  private static final int COUNTED = 252;
  private static final int BOX = 272;
  private static final int BOX_HEIGHT = 36;
  private static final int LEVEL_HEIGHT = 64;
  private static final int LINE = 106; // letters

  private final Scene scene;
  private final Drawing drawing;
  private final boolean windows;
  private final boolean curve;
  private final int bottom;
  private final String caption;

  private Timeline(Scene scene) {
    Rule rule = scene.rule();
    this.scene = scene;
    this.curve =
        rule instanceof Rule.Bucket || rule instanceof Rule.Gcra || rule instanceof Rule.Open;
    this.windows = !curve;
    this.bottom = BOX + (curve ? LEVEL_HEIGHT : BOX_HEIGHT) + 16;
    this.caption = Caption.of(scene);
    int height = bottom + 66 + caption.length() / LINE * 20;
    this.drawing = new Drawing(WIDTH, height, caption, STYLE);
  }

  /** Returns a drawing of the worst stretch of a run. */
  public static String svg(SimulationResult outcome) {
    return svg(outcome, time -> Pacer.of(outcome.scenario().limit(), time));
  }

  /** Returns a drawing of the worst stretch of a run that used another pacer. */
  public static String svg(SimulationResult outcome, Pacer.Maker maker) {
    return new Timeline(Scene.of(outcome, maker)).draw();
  }

  private String draw() {
    Scenario scenario = scene.outcome().scenario();
    drawing.text("title", "start", 16, 28, scenario.limit() + "  →  " + scenario.peer().rule());
    drawing.text("soft", "end", RIGHT, 28, summary());
    band();
    axis();
    row("asked", ASKED);
    row("released", RELEASED);
    drawing.text("soft", "end", LEFT - 14, (RELEASED + COUNTED) / 2.0 + 4, "on the way");
    row("at the peer", COUNTED);
    ways();
    requests();
    if (windows) {
      boxes();
    } else {
      curve();
    }
    caption();
    return drawing.end();
  }

  /** Draws the caption, in as many lines as it needs. */
  private void caption() {
    var line = new StringBuilder();
    int y = bottom + 48;
    for (String word : caption.split(" ", -1)) {
      if (line.length() + word.length() > LINE) {
        drawing.text("caption", "start", 16, y, line.toString());
        line.setLength(0);
        y += 20;
      }
      line.append(line.length() == 0 ? "" : " ").append(word);
    }
    drawing.text("caption", "start", 16, y, line.toString());
  }

  private String summary() {
    SimulationResult outcome = scene.outcome();
    String sends = outcome.sends() + " sent, ";
    return sends + (outcome.kept() ? "none too many" : outcome.refused() + " too many ✕");
  }

  private String kind(String good, String bad) {
    return scene.outcome().worst().tooMuch() ? bad : good;
  }

  /** Draws the window that is too full, from the peer's row down to its box. */
  private void band() {
    if (windows) {
      double from = Math.max(LEFT, x(scene.worstFrom()));
      double to = Math.min(RIGHT, x(scene.worstTo()));
      drawing.rectangle(kind("goodband", "badband"), from, COUNTED - 16, to - from, 36, 0);
    }
  }

  private void row(String name, int y) {
    drawing.text("soft", "end", LEFT - 14, y + 4.5, name);
    drawing.line("row", LEFT, y, RIGHT, y);
  }

  private void axis() {
    long step = step();
    for (long at = (scene.from() + step - 1) / step * step; at <= scene.to(); at += step) {
      drawing.line("grid", x(at), ASKED - 22, x(at), bottom);
      drawing.text("soft", "middle", x(at), bottom + 16, time(at));
    }
  }

  private static String time(long at) {
    return at == 0 ? "0" : Findings.seconds(at);
  }

  private long step() {
    long span = scene.to() - scene.from();
    long step = 1;
    for (long factor = 5; span / step > 9; factor = factor == 5 ? 2 : 5) {
      step = factor == 5 ? step * 5 : step * 2;
    }
    return step;
  }

  private double x(long instant) {
    double share = (double) (instant - scene.from()) / (scene.to() - scene.from());
    return LEFT + share * (RIGHT - LEFT);
  }

  private static boolean shown(double x) {
    return x >= LEFT - 0.5 && x <= RIGHT + 0.5;
  }

  // ---- requests

  private void ways() {
    List<Request> hot = scene.requests().stream().filter(scene::isWorst).toList();
    for (Request request : scene.requests()) {
      if (!scene.isWorst(request)) {
        way(request, "way");
      }
    }
    hot.forEach(request -> way(request, kind("lit", "hot")));
  }

  private void way(Request request, String kind) {
    slope("wait", request.asked, ASKED, request.released, RELEASED);
    if (request.counts == Request.NEVER) {
      return;
    }
    slope(kind, request.released, RELEASED, request.counts, COUNTED);
  }

  /** Draws a line between two rows, clipped to the stretch. */
  private void slope(String kind, long from, int top, long to, int below) {
    double x1 = x(from);
    double x2 = x(to);
    if (x1 == x2) {
      if (shown(x1)) {
        drawing.line(kind, x1, top, x2, below);
      }
      return;
    }
    double begin = x1 >= LEFT ? 0 : (LEFT - x1) / (x2 - x1);
    double end = x2 <= RIGHT ? 1 : (RIGHT - x1) / (x2 - x1);
    if (begin < end) {
      drawing.line(
          kind,
          x1 + (x2 - x1) * begin,
          top + (below - top) * begin,
          x1 + (x2 - x1) * end,
          top + (below - top) * end);
    }
  }

  private void requests() {
    for (Request request : scene.requests()) {
      if (shown(x(request.asked))) {
        drawing.dot("asked", x(request.asked), ASKED, 3.0);
      }
      if (shown(x(request.released))) {
        drawing.dot("go", x(request.released), RELEASED, 3.6);
        if (request.counts == Request.NEVER) {
          drawing.cross("lost", x(request.released) + 3, RELEASED + 14.0, 3.5);
        }
      }
    }
    many();
    for (Request request : scene.requests()) {
      if (request.counts == Request.NEVER || !shown(x(request.counts))) {
        continue;
      }
      if (request.refused) {
        drawing.cross("over", x(request.counts), COUNTED, 5.0);
      } else {
        drawing.dot("in", x(request.counts), COUNTED, 4.2);
      }
    }
  }

  /** Labels how many were released at what looks like one instant. */
  private void many() {
    List<Request> released =
        scene.requests().stream()
            .filter(request -> shown(x(request.released)))
            .sorted(Comparator.comparingLong(request -> request.released))
            .toList();
    double free = LEFT; // from where on there is room for words
    for (int i = 0; i < released.size(); ) {
      double x = x(released.get(i).released);
      int begin = i;
      while (i < released.size() && x(released.get(i).released) - x < 3) {
        i++;
      }
      boolean last = x > RIGHT - 30;
      if (i - begin > 1 && (last ? x - 32 : x) >= free) {
        free = x + 32;
        String many = "×" + (i - begin);
        drawing.text("many", last ? "end" : "start", last ? x - 6 : x + 6, RELEASED - 6.0, many);
      }
    }
  }

  // ---- windows

  private void boxes() {
    Rule rule = scene.rule();
    if (scene.outcome().worst().most() == 0) {
      return; // nothing reached the peer
    }
    if (rule instanceof Rule.Fixed || rule instanceof Rule.Aligned) {
      long length = scene.worstTo() - scene.worstFrom();
      long first =
          scene.worstFrom() - (scene.worstFrom() - scene.from()) / length * length - length;
      for (long at = first; at < scene.to(); at += length) {
        box(at, at + length, at == scene.worstFrom());
      }
    } else {
      box(scene.worstFrom(), scene.worstTo(), true);
    }
  }

  private void box(long from, long to, boolean worst) {
    double begin = Math.max(LEFT, x(from));
    double end = Math.min(RIGHT, x(to));
    if (worst && end - begin < 8) {
      begin -= 4;
      end += 4;
    }
    if (end - begin < 4) {
      return;
    }
    String kind = worst ? kind("goodbox", "badbox") : "box";
    boolean whole = shown(x(from)) && shown(x(to));
    if (!worst && cost(from, to) > scene.outcome().worst().allowed()) {
      kind = "overbox";
    }
    drawing.rectangle(kind, begin + 1, BOX, end - begin - 2, BOX_HEIGHT, 5);
    if (worst) {
      boolean narrow = end - begin < 70;
      double x = narrow ? end + 6 : (begin + end) / 2;
      String kindOfText = "count " + kind("good", "bad");
      drawing.text(kindOfText, narrow ? "start" : "middle", x, BOX + 23.0, worstWords());
    } else if (whole && end - begin > 60) {
      String words = cost(from, to) + " of " + scene.outcome().worst().allowed();
      String kindOfText = kind.equals("box") ? "count soft" : "count over";
      drawing.text(kindOfText, "middle", (begin + end) / 2, BOX + 23.0, words);
    }
  }

  private String worstWords() {
    if (scene.rule() instanceof Rule.Gap gap) {
      return Findings.span(scene.worstTo() - scene.worstFrom() - 1)
          + " of "
          + Durations.format(gap.nanos());
    }
    return scene.outcome().worst().toString();
  }

  private long cost(long from, long to) {
    return scene.requests().stream()
        .filter(request -> request.counts >= from && request.counts < to)
        .mapToLong(request -> request.cost)
        .sum();
  }

  // ---- levels

  /** Draws the level of the peer's bucket, or how many it works on, and where that was exceeded. */
  private void curve() {
    long full = scene.outcome().worst().allowed();
    boolean open = scene.rule() instanceof Rule.Open;
    drawing.rectangle("box", LEFT, BOX, RIGHT - LEFT, LEVEL_HEIGHT, 0);
    for (Request request : scene.requests()) {
      double x = x(request.counts);
      if (request.refused && shown(x)) {
        drawing.line("cut", x, COUNTED, x, BOX + LEVEL_HEIGHT);
      }
    }
    drawing.text("soft", "end", LEFT - 6, BOX + 9, String.valueOf(full));
    drawing.text(
        "soft", "end", LEFT - 24, BOX + LEVEL_HEIGHT / 2.0 + 4, open ? "at work" : "bucket");
    drawing.text("soft", "end", LEFT - 6, BOX + LEVEL_HEIGHT + 2.0, "0");
    var path = new StringBuilder();
    for (PeerServer.FullnessSample sample : scene.samples()) {
      double x = x(sample.at());
      if (shown(x)) {
        double y = BOX + LEVEL_HEIGHT * (1 - sample.fullness() / full);
        if (open && path.length() > 0) {
          path.append(String.format(Locale.ROOT, "H%.1f", x));
        }
        path.append(
            String.format(Locale.ROOT, "%s%.1f %.1f", path.length() == 0 ? "M" : "L", x, y));
      }
    }
    if (path.length() > 0) {
      drawing.path("level", path.toString());
    }
    if (scene.outcome().worst().tooMuch()) {
      double x = Math.min(RIGHT - 60, x(scene.worstTo()));
      drawing.text("count bad", "start", x + 6, COUNTED - 8.0, worstWords());
    }
  }
}
