package dev.pacegate.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * Some fields of a line of JSON, as columns in the order of their names. A field within another is
 * named with a point: {@code request.address}.
 */
final class JsonFields implements LogRow {

  private static final JsonFactory JSON = new JsonFactory();

  private static final Pattern HALF_LETTER = Pattern.compile("\\p{Cs}");

  private final Map<String, Integer> columns = new HashMap<>();
  private final int[] from;
  private final int[] to;
  private byte[] bytes = {};

  JsonFields(List<String> names) {
    this.from = new int[names.size()];
    this.to = new int[names.size()];
    for (String name : names) {
      columns.put(name, columns.size());
    }
  }

  @Override
  public void read(byte[] line, int begin, int end) throws BadRow {
    var texts = new ByteArrayOutputStream();
    Arrays.fill(to, -1);
    try (JsonParser json = JSON.createParser(line, begin, end - begin)) {
      if (json.nextToken() != JsonToken.START_OBJECT) {
        throw new BadRow("it is no JSON object");
      }
      readObject(json, "", texts);
      if (json.nextToken() != null) {
        throw new BadRow("it has more than a JSON object");
      }
    } catch (IOException e) {
      throw new BadRow("it is no JSON object");
    }
    bytes = texts.toByteArray();
  }

  private void readObject(JsonParser json, String prefix, ByteArrayOutputStream texts)
      throws IOException {
    while (json.nextToken() == JsonToken.FIELD_NAME) {
      String name = prefix + json.currentName();
      JsonToken value = json.nextToken();
      Integer column = columns.get(name);
      if (value == JsonToken.START_OBJECT) {
        readObject(json, name + ".", texts);
      } else if (value == JsonToken.START_ARRAY) {
        json.skipChildren();
      } else if (column != null && value != JsonToken.VALUE_NULL) {
        from[column] = texts.size();
        texts.writeBytes(bytes(json.getText()));
        to[column] = texts.size();
      }
    }
  }

  /** Returns text as UTF-8; half a letter, which that does not know, as JSON escapes it. */
  private static byte[] bytes(String text) {
    return HALF_LETTER
        .matcher(text)
        .replaceAll(half -> String.format("\\\\u%04x", (int) half.group().charAt(0)))
        .getBytes(UTF_8);
  }

  @Override
  public boolean has(int column) {
    return to[column - 1] >= 0;
  }

  @Override
  public byte[] bytes() {
    return bytes;
  }

  @Override
  public int from(int column) {
    return from[column - 1];
  }

  @Override
  public int to(int column) {
    return to[column - 1];
  }

  @Override
  public int toOfInstant(int column) {
    return to(column);
  }
}
