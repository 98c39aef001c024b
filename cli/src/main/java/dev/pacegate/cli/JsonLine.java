package dev.pacegate.cli;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.json.JsonWriteFeature;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** An object of JSON in one line, whose fields have the order in which they were added. */
final class JsonLine {

  private final Map<String, @Nullable Object> fields = new LinkedHashMap<>();

  /** Adds a text, a whole number, a boolean, an object or a list; null if it is not known. */
  JsonLine add(String name, @Nullable Object value) {
    fields.put(name, value);
    return this;
  }

  JsonLine addSeconds(String name, long nanos) {
    return add(name, BigDecimal.valueOf(nanos, 9).stripTrailingZeros());
  }

  @Override
  public String toString() {
    var text = new StringWriter();
    try (JsonGenerator json = new JsonFactory().createGenerator(text)) {
      json.enable(JsonWriteFeature.ESCAPE_NON_ASCII.mappedFeature()); // whatever the locale
      write(json);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return text.toString();
  }

  void write(JsonGenerator json) throws IOException {
    json.writeStartObject();
    for (var field : fields.entrySet()) {
      json.writeFieldName(field.getKey());
      write(json, field.getValue());
    }
    json.writeEndObject();
  }

  private static void write(JsonGenerator json, @Nullable Object value) throws IOException {
    if (value == null) {
      json.writeNull();
    } else if (value instanceof Boolean bool) {
      json.writeBoolean(bool);
    } else if (value instanceof Long whole) {
      json.writeNumber(whole);
    } else if (value instanceof BigDecimal decimal) {
      json.writeNumber(decimal.toPlainString());
    } else if (value instanceof JsonLine object) {
      object.write(json);
    } else if (value instanceof List<?> all) {
      json.writeStartArray();
      for (Object one : all) {
        write(json, one);
      }
      json.writeEndArray();
    } else {
      json.writeString(value.toString());
    }
  }
}
