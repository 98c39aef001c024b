package dev.pacegate.cli;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import dev.pacegate.audit.Report;
import dev.pacegate.audit.Verdict;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.LongFunction;

/** The findings of an audit as one object of JSON. */
final class AuditJson {

  /**
   * What was read.
   *
   * @param skipped lines that are empty, or name the columns
   */
  record ReadLines(long lines, long skipped) {
    ReadLines plus(ReadLines other) {
      return new ReadLines(lines + other.lines, skipped + other.skipped);
    }
  }

  private final StringWriter text = new StringWriter();
  private final JsonGenerator json;
  private final LongFunction<String> instants;

  private AuditJson(LongFunction<String> instants) throws IOException {
    this.json = new JsonFactory().createGenerator(text);
    this.instants = instants;
  }

  /**
   * Returns the object.
   *
   * @param reports by group; of the group without a name if there is only one
   * @param isGrouped whether it tells of each group
   */
  static String text(
      String limit,
      List<String> files,
      ReadLines read,
      Map<String, Report> reports,
      boolean isGrouped,
      LongFunction<String> instants) {
    try {
      var of = new AuditJson(instants);
      of.write(limit, files, read, reports, isGrouped);
      return of.text.toString();
    } catch (IOException e) { // there is none in memory
      throw new UncheckedIOException(e);
    }
  }

  private void write(
      String limit,
      List<String> files,
      ReadLines read,
      Map<String, Report> reports,
      boolean isGrouped)
      throws IOException {
    json.writeStartObject();
    json.writeStringField("limit", limit);
    json.writeBooleanField("kept", reports.values().stream().allMatch(Report::kept));
    json.writeArrayFieldStart("files");
    for (String file : files) {
      json.writeString(file);
    }
    json.writeEndArray();
    json.writeNumberField("lines", read.lines);
    json.writeNumberField("skipped", read.skipped);
    if (isGrouped) {
      json.writeArrayFieldStart("groups");
      for (Map.Entry<String, Report> group : new TreeMap<>(reports).entrySet()) {
        json.writeStartObject();
        json.writeStringField("group", group.getKey());
        json.writeBooleanField("kept", group.getValue().kept());
        write(group.getValue());
        json.writeEndObject();
      }
      json.writeEndArray();
    } else {
      write(reports.values().iterator().next());
    }
    json.writeEndObject();
    json.close();
  }

  private void write(Report report) throws IOException {
    json.writeNumberField("requests", report.count());
    json.writeNumberField("cost", report.cost());
    if (report.count() > 0) {
      json.writeStringField("from", instants.apply(report.first()));
      json.writeStringField("to", instants.apply(report.last()));
    }
    json.writeArrayFieldStart("promises");
    for (Verdict verdict : report.verdicts()) {
      write(verdict);
    }
    json.writeEndArray();
  }

  private void write(Verdict verdict) throws IOException {
    json.writeStartObject();
    json.writeStringField("promise", verdict.promise().text());
    json.writeBooleanField("kept", verdict.kept());
    if (!verdict.where().isEmpty()) {
      json.writeNumberField("measured", verdict.measured());
      json.writeStringField("found", verdict.found());
      json.writeObjectFieldStart("worst");
      json.writeStringField("from", instants.apply(verdict.where().from()));
      json.writeStringField("to", instants.apply(verdict.where().to()));
      json.writeNumberField("nanos", verdict.where().nanos());
      json.writeEndObject();
      json.writeStringField("fits", verdict.tightest().text());
    }
    json.writeEndObject();
  }
}
