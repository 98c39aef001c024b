package dev.pacegate.cli;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.StreamWriteFeature;
import com.fasterxml.jackson.core.json.JsonWriteFeature;
import dev.pacegate.audit.Report;
import dev.pacegate.audit.Verdict;
import dev.pacegate.cli.LogReader.ReadLines;
import java.io.IOException;
import java.io.OutputStream;
import java.util.List;
import java.util.Map;
import java.util.function.LongFunction;

/** Writes the findings of an audit as one object of JSON. */
final class AuditJson {

  /** What the locale cannot write is escaped, and so are control characters for terminals. */
  private static final JsonFactory JSON =
      JsonFactory.builder()
          .enable(JsonWriteFeature.ESCAPE_NON_ASCII)
          .disable(StreamWriteFeature.AUTO_CLOSE_TARGET)
          .build();

  private final JsonGenerator json;
  private final LongFunction<String> instants;

  private AuditJson(JsonGenerator json, LongFunction<String> instants) {
    this.json = json;
    this.instants = instants;
  }

  /**
   * Writes the object and ends the line.
   *
   * @param isGrouped whether it tells of each group
   */
  static void write(
      OutputStream out,
      List<String> limits,
      List<String> files,
      ReadLines read,
      GroupJudges judges,
      boolean isGrouped,
      LongFunction<String> instants)
      throws IOException {
    try (JsonGenerator json = JSON.createGenerator(out)) {
      json.writeStartObject();
      var found = new AuditJson(json, instants);
      found.writeTexts("limits", limits);
      json.writeBooleanField("kept", judges.kept());
      found.writeTexts("files", files);
      json.writeNumberField("lines", read.lines());
      json.writeNumberField("skipped", read.skipped());
      if (isGrouped) {
        found.writeGroups(judges.byGroup());
      } else {
        found.write(judges.ofAll());
      }
      json.writeEndObject();
      json.writeRaw('\n');
    }
  }

  private void writeTexts(String name, List<String> texts) throws IOException {
    json.writeArrayFieldStart(name);
    for (String text : texts) {
      json.writeString(text);
    }
    json.writeEndArray();
  }

  private void writeGroups(Map<String, Judge> groups) throws IOException {
    json.writeArrayFieldStart("groups");
    for (Map.Entry<String, Judge> group : groups.entrySet()) {
      json.writeStartObject();
      json.writeStringField("group", group.getKey());
      json.writeBooleanField("kept", group.getValue().kept());
      write(group.getValue());
      json.writeEndObject();
    }
    json.writeEndArray();
  }

  private void write(Judge judge) throws IOException {
    Report report = judge.report();
    json.writeNumberField("requests", report.count());
    json.writeNumberField("cost", report.cost());
    json.writeBooleanField("ended", report.ended());
    if (report.count() > 0) {
      json.writeStringField("from", instants.apply(report.first()));
      json.writeStringField("to", instants.apply(report.last()));
    }
    if (!judge.gap().where().isEmpty()) {
      json.writeNumberField("gap", judge.gap().measured());
    }
    json.writeArrayFieldStart("promises");
    for (Verdict verdict : report.verdicts()) {
      of(verdict, instants).write(json);
    }
    json.writeEndArray();
  }

  /**
   * Returns what was found of a promise, as reports of {@code pipe} and {@code run} tell it, too.
   */
  static JsonLine of(Verdict verdict, LongFunction<String> instants) {
    var found = new JsonLine().add("promise", verdict.promise().text()).add("kept", verdict.kept());
    if (verdict.where().isEmpty()) {
      return found;
    }
    var worst =
        new JsonLine()
            .add("from", instants.apply(verdict.where().from()))
            .add("to", instants.apply(verdict.where().to()))
            .add("nanos", verdict.where().nanos());
    found.add("measured", verdict.measured()).add("found", verdict.found()).add("worst", worst);
    found.add("tightest", verdict.tightest().text());
    String limit = Suggestion.limit(verdict.tightest());
    return limit.isEmpty() ? found : found.add("fits", limit);
  }
}
