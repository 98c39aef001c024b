package dev.pacegate.cli;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which columns an audit reads, and what it takes for one group. */
class AuditColumnsTest {

  /** Usual lines of nginx, with $request_time at the end, behind agents of any number of words. */
  private static final String NGINX =
      """
      10.0.0.1 - - [31/Jan/2026:12:00:01 +0000] "GET / HTTP/1.1" 200 7 "-" "curl/8" 1.000
      10.0.0.2 - - [31/Jan/2026:12:00:01 +0000] "GET / HTTP/1.1" 200 7 "-" "Mozilla/5.0 (X; y)" 0.5
      10.0.0.1 - - [31/Jan/2026:12:00:02 +0000] "GET / HTTP/1.1" 200 7 "-" "a b c d e f" 1.600
      """;

  @Test
  void aColumnMayBeCountedFromTheEnd() {
    Session session =
        audit(
            NGINX, "concurrent(2)", "--duration-column", "-1", "--ends-logged", "--reorder", "1s");
    assertEquals(Status.BROKEN, session.status(), session.err());
    assertEquals("  most open: 3, at 2026-01-31T12:00:00.500Z", session.lines().get(3));
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 5, 70, 300})
  void columnsFromTheEndAreThoseFromTheStart(int columns) {
    for (String separator : List.of(" ", ",")) {
      var fields = new Fields((byte) separator.charAt(0), Fields.ALL);
      String text =
          IntStream.rangeClosed(1, columns)
              .mapToObj(Integer::toString)
              .reduce((left, right) -> left + separator + right)
              .orElseThrow();
      fields.read(text.getBytes(US_ASCII), 0, text.length());
      for (int column = 1; column <= columns; column++) {
        assertEquals(fields.from(column), fields.from(column - columns - 1));
        assertEquals(fields.to(column), fields.to(column - columns - 1));
        assertEquals(fields.toOfInstant(column), fields.toOfInstant(column - columns - 1));
      }
      assertEquals(columns, fields.count());
      assertEquals(false, fields.has(-columns - 1) || fields.has(columns + 1));
    }
  }

  @Test
  void aLineMayLackAColumnFromTheEnd() {
    audit("1 2 3\n5 6\n", "1/1s", "-c", "-3")
        .fails(2, "line 2 of standard input: it has no column -3");
    assertEquals(Status.OK, audit("a,b\n1,2\n", "1/1s", "-c", "a", "--by", "-2").status());
  }

  /** Even if they differ only in bytes that are no UTF-8, such as those of Latin-1. */
  @Test
  void groupsThatDifferInBytesAreApart() {
    byte[] log = "1 M\u00fcller\n1 M\u00f6ller\n2 M\u00fcller\n".getBytes(ISO_8859_1);
    Session session = Session.given(log).run("audit", "1/1h", "--by", "2");
    assertEquals("3 requests in 2 groups by column 2", session.lines().get(0));
    assertEquals("  M\\xFCller: broken, most: 2 within 1s, from 1 to 2", session.lines().get(2));
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void bytesThatDifferAreTextsThatDiffer(long seed) {
    var random = new Random(seed);
    byte[] alphabet = "a\u00e4\u20ac\ud83d\ude00".getBytes(UTF_8);
    Map<String, byte[]> texts = new HashMap<>();
    for (int i = 0; i < 50_000; i++) {
      byte[] bytes = new byte[1 + random.nextInt(8)];
      for (int at = 0; at < bytes.length; at++) {
        bytes[at] = alphabet[random.nextInt(alphabet.length)];
      }
      String text = UnreadableBytes.escaped(bytes, 0, bytes.length);
      byte[] same = texts.put(text, bytes);
      assertEquals(true, same == null || Arrays.equals(same, bytes), text);
      String plain = new String(bytes, UTF_8);
      assertEquals(plain.indexOf('\uFFFD') < 0, text.equals(plain), text);
    }
  }

  @Test
  void aPortBeforeADateOfHaproxyIsNoneFromTheEndEither() {
    String line = "h: 2001:db8::1:%d [31/Jan/2026:12:00:00.000] web 10\n";
    String log = line.formatted(80) + line.formatted(81);
    for (String column : List.of("2", "-4")) {
      Session session = audit(log, "1/1s", "--by", column);
      assertEquals("2 requests in 1 group by column " + column, session.lines().get(0));
    }
  }

  @Test
  void halvesOfLettersInJsonAreApart() {
    String log =
        """
        {"time": 1, "who": "\\ud83d"}
        {"time": 1, "who": "\\ud83e"}
        {"time": 1, "who": "\\ud83d\\ude00"}
        """;
    Session session = audit(log, "1/1h", "--by", "who");
    assertEquals("3 requests in 3 groups by who", session.lines().get(0), session.err());
    assertEquals(Status.OK, session.status());
  }

  @Test
  void aLineWithAnInstantIsNoHeader() {
    audit(NGINX, "1/1s", "--by", "client")
        .fails(
            2,
            "line 1 of standard input: the first line is no header, so there is no column client:"
                + " give the number of the column, from 1");
  }

  /** What a terminal's encoding lacks is escaped, so no two names look the same. */
  @Test
  void lettersThatATerminalLacksAreEscaped() {
    assertEquals(
        "a\\u00e4\\ud83d\\ude00...\\n", World.oneLine("a\u00e4\ud83d\ude00\u2026\n", US_ASCII));
    assertEquals("a\u00e4\u2026\\n", World.oneLine("a\u00e4\u2026\n", UTF_8));
    assertNotEquals(World.oneLine("\u00e4", US_ASCII), World.oneLine("\u00f6", US_ASCII));
  }

  private static Session audit(String log, String... arguments) {
    String[] all = new String[arguments.length + 1];
    all[0] = "audit";
    System.arraycopy(arguments, 0, all, 1, arguments.length);
    return Session.given(log).run(all);
  }
}
