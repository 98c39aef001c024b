package dev.pacegate.simulator;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Writes what the built-in scenarios look like: a drawing of each run, and a page for a browser on
 * which one chooses a scenario and a limit. The page needs no server and no network.
 */
public final class Gallery {

  private final List<Study> studies;
  private final Path folder;

  Gallery(List<Study> studies, Path folder) {
    this.studies = List.copyOf(studies);
    this.folder = folder;
  }

  /** Writes {@code index.html} and the drawings into a folder, which is made if need be. */
  public static void write(Path folder) throws IOException {
    new Gallery(Scenarios.names().stream().map(Scenarios::named).toList(), folder).write();
  }

  void write() throws IOException {
    Files.createDirectories(folder);
    var sections = new StringBuilder();
    for (Study study : studies) {
      write(study, sections);
    }
    try (InputStream in = Gallery.class.getResourceAsStream("gallery.html")) {
      if (in == null) {
        throw new IllegalStateException("not built in: gallery.html");
      }
      String page = new String(in.readAllBytes(), UTF_8);
      Files.writeString(folder.resolve("index.html"), page.replace("<!-- studies -->\n", sections));
    }
  }

  private void write(Study study, StringBuilder page) throws IOException {
    List<SimulationResult> outcomes =
        study.runs().stream().map(run -> Simulation.run(run.scenario())).toList();
    List<String> drawings = Timeline.svgs(outcomes);
    List<String> labels = labels(study);
    page.append("<section data-name=\"").append(study.name()).append("\">\n");
    paragraph(study.question(), page);
    for (int i = 0; i < outcomes.size(); i++) {
      String name = study.name() + "-" + (i + 1);
      Files.writeString(folder.resolve(name + ".svg"), drawings.get(i));
      page.append("<figure data-run=\"").append(name);
      page.append("\" data-limit=\"").append(escaped(labels.get(i))).append("\">\n");
      numbers(outcomes.get(i), page);
      page.append("<img loading=\"lazy\" src=\"").append(name).append(".svg\" alt=\"");
      page.append(escaped(new Headline(outcomes.get(i)).sentence())).append("\">\n</figure>\n");
    }
    paragraph(study.answer(), page);
    page.append("</section>\n");
  }

  /** Returns the limits, with the facts that are not the same in all runs. */
  private static List<String> labels(Study study) {
    var common = new ArrayList<>(Facts.of(study.runs().get(0).scenario()));
    study.runs().forEach(run -> common.retainAll(Facts.of(run.scenario())));
    var labels = new ArrayList<String>();
    for (Study.Run run : study.runs()) {
      var parts = new ArrayList<String>();
      parts.add(run.scenario().limit().toString());
      parts.addAll(Facts.changes(run.scenario()));
      parts.addAll(Facts.of(run.scenario()));
      parts.removeAll(common);
      labels.add(String.join(", ", parts));
    }
    return labels;
  }

  private static void numbers(SimulationResult outcome, StringBuilder page) {
    double rate = outcome.acceptedPerNano();
    String share = Findings.percent((double) outcome.refused() / outcome.sends());
    boolean refuses = outcome.scenario().peer().refuses();
    page.append("<dl class=\"numbers\">\n");
    number("accepted", Double.isNaN(rate) ? "all at once" : Findings.perSecond(rate), page);
    number(
        refuses ? "rejected" : "too many",
        outcome.refused() + " of " + outcome.sends() + " (" + share + ")",
        page);
    number("half waited at most", Findings.span(outcome.wait50()), page);
    number("99 % waited at most", Findings.span(outcome.wait99()), page);
    page.append("</dl>\n");
  }

  private static void number(String name, String value, StringBuilder page) {
    page.append("<div><dt>").append(name).append("</dt><dd>").append(value).append("</dd></div>\n");
  }

  private static void paragraph(String text, StringBuilder page) {
    String words = escaped(text).replaceAll("`([^`]+)`", "<code>$1</code>");
    page.append("<p>").append(words).append("</p>\n");
  }

  private static String escaped(String text) {
    return text.replace("&", "&amp;").replace("<", "&lt;").replace("\"", "&quot;");
  }
}
