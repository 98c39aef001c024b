package dev.pacegate.adapter;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Server-sent events, by the grammar of the HTML standard. */
class EventReaderTest {

  private static final int MOST = 100;

  private static List<String> read(String stream) {
    var events = new ArrayList<String>();
    var reader = new EventReader(MOST, events::add);
    for (byte each : stream.getBytes(StandardCharsets.UTF_8)) {
      reader.read(each);
    }
    return events;
  }

  static Stream<Arguments> streams() {
    String full = "x".repeat(MOST - "data:".length());
    return Stream.of(
        arguments("data: a\n\n", List.of("a")),
        arguments("data: a\r\rdata: b\r\n\r\n", List.of("a", "b")),
        arguments("data:a\n\ndata:  a\n\n", List.of("a", " a")),
        arguments("data: a\ndata: b\n\n", List.of("a\nb")),
        arguments("data: a\n\r\ndata: b\r\n\n", List.of("a", "b")),
        arguments("\uFEFFdata: a\n\n", List.of("a")),
        arguments("\uFEFF\ndata: a\n\n", List.of("a")),
        arguments("\n\uFEFFdata: a\n\n", List.of()),
        arguments("data\n\n", List.of("")),
        arguments("data:\n\n", List.of("")),
        arguments("data\ndata\n\n", List.of("\n")),
        arguments(": comment\n\n:\n\ndata: a\n\n", List.of("a")),
        arguments("event: usage\nid: 1\nretry: 5\ndata: a\n\n", List.of("a")),
        arguments("database: a\n\nDATA: a\n\n data: a\n\n", List.of()),
        arguments("event: data\n\n", List.of()),
        arguments("data: a\n", List.of()),
        arguments("data: a", List.of()),
        arguments("", List.of()),
        arguments("data: äöü€😀\n\n", List.of("äöü€😀")),
        arguments("data:" + full + "\n\n", List.of(full)),
        arguments("data:" + full + "x\n\ndata: b\n\n", List.of("b")),
        arguments("data:" + full + "\ndata: 123456789\n\ndata: b\n\n", List.of("b")),
        arguments(":" + full.repeat(9) + "\ndata: a\n\n", List.of("a")),
        arguments("data: a\nid: " + full.repeat(9) + "\n\n", List.of("a")));
  }

  @ParameterizedTest
  @MethodSource("streams")
  void theDataOfEachEventIsRead(String stream, List<String> events) {
    assertEquals(events, read(stream));
  }

  /** Splits the whole text, as no reader of a stream can. */
  private static List<String> expected(String stream) {
    String text = stream.replaceFirst("^\uFEFF", "").replaceAll("\r\n|\r", "\n");
    var events = new ArrayList<String>();
    var data = new ArrayList<String>();
    String lines = text.substring(0, Math.max(0, text.lastIndexOf('\n')));
    for (String line : text.contains("\n") ? lines.split("\n", -1) : new String[0]) {
      if (line.matches("data(:.*)?")) {
        data.add(line.replaceFirst("^data:? ?", ""));
      } else if (line.isEmpty() && !data.isEmpty()) {
        events.add(String.join("\n", data));
        data.clear();
      }
    }
    return events;
  }

  @Test
  void anyStreamIsReadAsItsWholeTextWouldBe() {
    long seed = System.nanoTime();
    System.out.println("seed " + seed);
    var random = new Random(seed);
    String[] pieces = {"data", ":", " ", "\n", "\r", "\r\n", "a", "b: c", "data: ", "\uFEFF", "é"};
    for (int i = 0; i < 3_000; i++) {
      var stream = new StringBuilder();
      for (int left = random.nextInt(16); left > 0; left--) {
        stream.append(pieces[random.nextInt(pieces.length)]);
      }
      assertEquals(expected(stream.toString()), read(stream.toString()), stream.toString());
    }
  }
}
