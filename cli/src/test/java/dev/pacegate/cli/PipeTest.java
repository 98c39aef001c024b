package dev.pacegate.cli;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.cli.Session.Written;
import dev.pacegate.limit.Limits;
import java.io.ByteArrayInputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Lines and bytes, paced. Nothing here waits: time moves when a thread would. */
class PipeTest {

  private static final long MILLI = 1_000_000;
  private static final long SECOND = 1000 * MILLI;

  @Test
  void releasesAsManyAsTheLimitAllowsAndWaits() {
    var session = Session.given("1\n2\n3\n4\n5\n").run("pipe", "2/1s");
    session.succeeds("1\n2\n3\n4\n5\n");
    assertEquals(
        List.of(
            new Written(0, "1\n2\n"),
            new Written(SECOND, "3\n4\n"),
            new Written(2 * SECOND, "5\n")),
        session.writes);
  }

  @Test
  void showsEveryLineAsSoonAsItIsReleased() {
    var session = Session.given("1\n2\n3\n").run("pipe", "spacing(100ms)");
    assertEquals(
        List.of(
            new Written(0, "1\n"),
            new Written(100 * MILLI, "2\n"),
            new Written(200 * MILLI, "3\n")),
        session.writes);
  }

  @Test
  void keepsEveryLimitThatIsGiven() {
    var session = Session.given("1\n2\n3\n4\n").run("pipe", "2/1s", "-l", "3/1m");
    assertEquals(
        List.of(
            new Written(0, "1\n2\n"), new Written(SECOND, "3\n"), new Written(60 * SECOND, "4\n")),
        session.writes);
  }

  @Test
  void endsAPermitWhenItsLineIsOutWhereThatMatters() {
    var session = Session.given("1\n2\n3\n").run("pipe", "concurrent(1)").succeeds("1\n2\n3\n");
    assertEquals(3, session.writes.size());
    session = Session.given("1\n2\n3\n").run("pipe", "peer(2/1s, margin=0s)");
    assertEquals(
        List.of(new Written(0, "1\n"), new Written(0, "2\n"), new Written(SECOND, "3\n")),
        session.writes);
  }

  @Test
  void takesOnePermitForALineOfAnyLength() {
    String line = "x".repeat(1_000_000) + "\n";
    var session = Session.given(line + line + "y").run("pipe", "1/1s").succeeds(line + line + "y");
    assertEquals(2 * SECOND, last(session).at());
    assertEquals("y", last(session).text());
  }

  @Test
  void copiesNothing() {
    Session.given("").run("pipe", "1/1h").succeeds("");
    Session.given("").run("pipe", "1/1h", "--cost", "bytes").succeeds("");
    Session.given("1\n2").run("pipe", "unlimited", "-").succeeds("1\n2");
    Session.given("\n\n").run("pipe", "unlimited").succeeds("\n\n");
  }

  @Test
  void copiesAnyBytesInPiecesOfAnyLength() {
    long seed = Long.getLong("seed", System.nanoTime());
    var random = new Random(seed);
    for (int round = 0; round < 24; round++) {
      byte[] input = new byte[random.nextInt(200_000)];
      random.nextBytes(input);
      int newlines = random.nextInt(4);
      for (int i = 0; i < input.length * newlines / 4; i++) {
        input[random.nextInt(input.length)] = '\n';
      }
      for (String unit : List.of("lines", "bytes")) {
        String limit =
            List.of("100/1s", "peer(5000/1s)", "bucket(70/1s, burst=9000)").get(round % 3);
        var pieces = Session.given(inPieces(input, random)).run("pipe", limit, "--cost", unit);
        assertArrayEquals(input, pieces.bytes(), "seed " + seed);
        assertEquals(Status.OK, pieces.status(), "seed " + seed);
      }
    }
  }

  private static FilterInputStream inPieces(byte[] input, Random random) {
    return new FilterInputStream(new ByteArrayInputStream(input)) {
      @Override
      public int read(byte[] buffer, int from, int length) throws IOException {
        return super.read(buffer, from, Math.min(length, 1 + random.nextInt(100_000)));
      }
    };
  }

  @Test
  void countsBytes() {
    var session = Session.given("x".repeat(2500)).run("pipe", "1000/1s", "--cost", "bytes");
    assertEquals(
        List.of(
            new Written(0, "x".repeat(1000)),
            new Written(SECOND, "x".repeat(1000)),
            new Written(2 * SECOND, "x".repeat(500))),
        session.writes);
  }

  @Test
  void cutsChunksAsLargeAsTheLimitLetsThroughAtOnce() {
    assertEquals(8192, Pipe.largestChunk(Limits.parse("unlimited")));
    assertEquals(8192, Pipe.largestChunk(Limits.parse("1000000/1s & spacing(1s)")));
    assertEquals(100, Pipe.largestChunk(Limits.parse("1000000/1s & 100/1m")));
    assertEquals(20, Pipe.largestChunk(Limits.parse("bucket(100/1s, burst=20)")));
    assertEquals(30, Pipe.largestChunk(Limits.parse("fixed(30/1s)")));
    assertEquals(7, Pipe.largestChunk(Limits.parse("peer(bucket(100/1s, burst=20) & 7/1s)")));
    assertEquals(8192, Pipe.largestChunk(Limits.parse("3/1s of tokens")));
  }

  @Test
  void refusesLimitsOfWhatIsNotThere() {
    Session.given("1\n")
        .run("pipe", "60/1m & 90000/1m of tokens")
        .fails(
            2, "no request here has a cost of tokens: 60/1m & 90000/1m of tokens cannot be kept");
  }

  @Test
  void reportsWhatWentThrough() {
    var session = Session.given("1\n2\n3\n").run("pipe", "2/1s", "--report");
    assertEquals(
        """
        pacegate: 3 requests within 1s, from 0s to 1s
        pacegate: smallest gap: 0s, at 0s
        pacegate: kept: at most 2 in any 1s
        pacegate:   most: 2, at 0s
        pacegate:   would have held: at most 2 in any 1s
        """,
        session.err());
    assertEquals(Status.OK, session.status());
    assertEquals("1\n2\n3\n", session.out());
  }

  @Test
  void reportsWhatThePeerMayHaveSeen() {
    var session = Session.given("1\n2\n3\n").run("pipe", "peer(2/1s)", "--report");
    assertTrue(
        session.err().contains("pacegate: kept: at most 2 in any 1s, wherever"), session.err());
    assertEquals(Status.OK, session.status());
  }

  @Test
  void reportsByTheCalendarWhatFollowsIt() {
    var session = Session.given("1\n2\n3\n").run("pipe", "aligned(2/1m, margin=100ms)", "--report");
    assertEquals(
        "pacegate: 3 requests within 60.1s, from 1970-01-01T00:00:00Z to 1970-01-01T00:01:00.100Z,"
            + " no ends: judged by starts alone",
        session.err().lines().findFirst().orElse(""));
    assertTrue(session.err().contains("pacegate: kept: at most 2 in each 1m"), session.err());
    assertEquals(Status.OK, session.status());
  }

  @Test
  void losesNothingWhenTheInputFails() {
    var failing =
        new FilterInputStream(new ByteArrayInputStream("1\n2\n".getBytes(ISO_8859_1))) {
          @Override
          public int read(byte[] buffer, int from, int length) throws IOException {
            int read = super.read(buffer, from, length);
            if (read < 0) {
              throw new IOException("it is gone");
            }
            return read;
          }
        };
    var session = Session.given(failing).run("pipe", "1/1s");
    session.fails(2, "cannot read standard input: it is gone");
    assertEquals("1\n2\n", session.out());
  }

  @Test
  void showsALiveLineOnATerminalAndErasesIt() {
    var session = Session.given("1\n2\n").inRealTime();
    session.watched = true;
    session.run("pipe", "spacing(700ms)");
    assertEquals("1\n2\n", session.out());
    assertTrue(session.err().startsWith("\r\033[K1 lines in 0s, "), session.err());
    assertTrue(session.err().contains("/s (spacing(700ms))"), session.err());
    assertTrue(session.err().endsWith("\r\033[K"), session.err());
    assertEquals(0, session.err().lines().filter(line -> line.contains("\n")).count());
  }

  private static Written last(Session session) {
    return session.writes.get(session.writes.size() - 1);
  }
}
