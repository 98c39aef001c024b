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
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Lines and bytes, paced. Nothing here waits: time moves when a thread would. */
class PipeTest {

  private static final long MILLI = 1_000_000;
  private static final long SECOND = 1000 * MILLI;

  @Test
  void releasesAsManyAsTheLimitAllowsAndWaits() {
    var session = Session.given("1\n2\n3\n4\n5\n").run("pipe", "-q", "peer(2/1s, margin=0s)");
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
    var session = Session.given("1\n2\n3\n").run("pipe", "-q", "peer(spacing(100ms), margin=0s)");
    assertEquals(
        List.of(
            new Written(0, "1\n"),
            new Written(100 * MILLI, "2\n"),
            new Written(200 * MILLI, "3\n")),
        session.writes);
  }

  /** A bucket of a peer begins empty: else nothing would be seen, and nothing told, for long. */
  @Test
  void tellsWhenTheFirstLineGoesIfThatIsLate() {
    var session = Session.given("1\n").run("pipe", "-q", "bucket(3/1h, burst=3)");
    assertTrue(session.err().matches("pacegate: the first goes in 20m[^\n]*\n"), session.err());
    assertEquals("", Session.given("1\n").run("pipe", "-q", "3/1h").err());
  }

  @Test
  void keepsEveryLimitThatIsGiven() {
    var session =
        Session.given("1\n2\n3\n4\n").run("pipe", "-q", "starts(2/1s)", "-l", "starts(3/1m)");
    assertEquals(
        List.of(
            new Written(0, "1\n2\n"), new Written(SECOND, "3\n"), new Written(60 * SECOND, "4\n")),
        session.writes);
  }

  @Test
  void endsAPermitWhenItsLineIsOutWhereThatMatters() {
    var session =
        Session.given("1\n2\n3\n").run("pipe", "-q", "concurrent(1)").succeeds("1\n2\n3\n");
    assertEquals(3, session.writes.size());
    session = Session.given("1\n2\n3\n").run("pipe", "-q", "peer(2/1s) & concurrent(1)");
    assertEquals(
        List.of(new Written(0, "1\n"), new Written(0, "2\n"), new Written(1002 * MILLI, "3\n")),
        session.writes);
  }

  @Test
  void countsAsThePeerDoesUnlessToldOtherwise() {
    for (var text :
        List.of(
            List.of("5/1s", "peer(5/1s)"),
            List.of("bucket(5/1s, burst=3)", "peer(bucket(5/1s, burst=3))"),
            List.of("spacing(10ms) & 5/1s", "peer(spacing(10ms)) & peer(5/1s)"),
            List.of("peer(5/1s, margin=0s)", "peer(5/1s, margin=0s)"),
            List.of("peer(5/1s) & spacing(10ms)", "peer(5/1s) & spacing(10ms)"),
            List.of("starts(5/1s)", "starts(5/1s)"),
            List.of("fixed(5/1s) & concurrent(2)", "fixed(5/1s) & concurrent(2)"))) {
      var session = Session.given("1\n").run("pipe", text.get(0));
      assertEquals("pacegate: limit " + text.get(1) + "\n", session.err());
      assertEquals("1\n", session.out());
    }
  }

  @Test
  void writesTogetherWhatIsAdmittedTogether() {
    String lines = "a\n".repeat(20_000);
    var session = Session.given(lines).run("pipe", "-q", "1000000/1s").succeeds(lines);
    assertEquals(0, last(session).at());
    assertTrue(session.writes.size() <= 10, () -> session.writes.size() + " writes");
  }

  @Test
  void takesOnePermitForALineOfAnyLength() {
    String line = "x".repeat(1_000_000) + "\n";
    var session =
        Session.given(line + line + "y").run("pipe", "-q", "1/1s").succeeds(line + line + "y");
    assertEquals(2 * 1002 * MILLI, last(session).at());
    assertEquals("y", last(session).text());
  }

  /** Without a limit no line is looked for, unless their number is told. */
  @Test
  void unlimitedCopiesAnyBytes() {
    byte[] bytes = new byte[300_000];
    new Random(1).nextBytes(bytes);
    assertArrayEquals(bytes, Session.given(bytes).run("pipe", "-q", "unlimited").bytes());
    Session told = Session.given("1\n2\n3\n").run("pipe", "-q", "unlimited", "--report");
    assertTrue(told.err().contains("of cost 3"), told.err());
  }

  @Test
  void copiesNothing() {
    Session.given("").run("pipe", "-q", "1/1h").succeeds("");
    Session.given("").run("pipe", "-q", "1/1h", "--cost", "bytes").succeeds("");
    Session.given("1\n2").run("pipe", "-q", "unlimited", "-").succeeds("1\n2");
    Session.given("\n\n").run("pipe", "-q", "unlimited").succeeds("\n\n");
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
        var pieces =
            Session.given(inPieces(input, random)).run("pipe", "-q", limit, "--cost", unit);
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
  void refusesToCountBytesByALimitThatCountsNone() {
    Session.given("1\n2\n")
        .run("pipe", "peer(spacing(100ms))", "--cost", "bytes")
        .fails(
            2,
            "--cost bytes limits nothing because peer(spacing(100ms)) counts calls: add a limit of"
                + " bytes, such as -l 100000/1s");
    Session.given("1\n2\n")
        .run("pipe", "spacing(100ms)", "-l", "concurrent(1)", "--cost=bytes", "--report")
        .fails(
            2,
            "--cost bytes limits nothing because peer(spacing(100ms)) & concurrent(1) counts calls: add"
                + " a limit of bytes, such as -l 100000/1s");
    Session.given("1\n2").run("pipe", "-q", "spacing(1s)", "--cost", "lines").succeeds("1\n2");
    Session.given("1\n2").run("pipe", "-q", "unlimited", "--cost", "bytes").succeeds("1\n2");
    Session.given("1\n2")
        .run("pipe", "-q", "spacing(1s)", "-l", "100000/1s", "--cost", "bytes")
        .succeeds("1\n2");
  }

  @Test
  void countsBytes() {
    var session =
        Session.given("x".repeat(2500)).run("pipe", "-q", "starts(1000/1s)", "--cost", "bytes");
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
        .run("pipe", "-q", "60/1m & 90000/1m of tokens")
        .fails(
            2, "no request here has a cost of tokens: 60/1m & 90000/1m of tokens cannot be kept");
  }

  @Test
  void reportsWhatWentThrough() {
    var session = Session.given("1\n2\n3\n").run("pipe", "-q", "starts(2/1s)", "--report");
    assertEquals(
        """
        pacegate: 3 requests within 1s, from 0s to 1s
        pacegate: smallest gap: 0s, at 0s
        pacegate: kept: at most 2 in any 1s
        pacegate:   most: 2, at 0s
        pacegate:   limit that fits: at most 2 in any 1s
        pacegate: what counts starts was judged by when lines were let through; each had been \
        written at most 0s later
        """,
        session.err());
    assertEquals(Status.OK, session.status());
    assertEquals("1\n2\n3\n", session.out());
  }

  @Test
  void reportsWhatThePeerMayHaveSeen() {
    var session = Session.given("1\n2\n3\n").run("pipe", "-q", "2/1s", "--report");
    assertTrue(
        session.err().contains("pacegate: kept: at most 2 in any 1s, counted"), session.err());
    assertEquals(Status.OK, session.status());
  }

  @Test
  void warnsOfALimitThatIsHardlyMeant() {
    var session = Session.given("1\n2\n").run("pipe", "-q", "9/1s", "-l", "aligned(10/1s)");
    assertEquals("1\n2\n", session.out());
    assertTrue(
        session.err().startsWith("pacegate: aligned(10/1s) uses at most 33 % of what"),
        session.err());
    assertEquals(Status.OK, session.status());
  }

  @Test
  void reportsByTheCalendarWhatFollowsIt() {
    var session =
        Session.given("1\n2\n3\n").run("pipe", "-q", "aligned(2/1m, margin=100ms)", "--report");
    assertEquals(
        "pacegate: 3 requests within 1m0.1s, from 1970-01-01T00:00:00Z to 1970-01-01T00:01:00.100Z,"
            + " no ends: judged by starts alone",
        session.err().lines().findFirst().orElse(""));
    assertTrue(session.err().contains("pacegate: kept: at most 2 in each 1m"), session.err());
    assertEquals(Status.OK, session.status());
  }

  @Test
  void reportsAPartOfALine() {
    var session = Session.given(failsAfter("1\n2\nan")).run("pipe", "-q", "3/1s", "--report");
    assertEquals("1\n2\nan", session.out());
    assertTrue(session.err().contains("\npacegate: 3 requests"), session.err());
  }

  private static FilterInputStream failsAfter(String input) {
    return new FilterInputStream(new ByteArrayInputStream(input.getBytes(ISO_8859_1))) {
      @Override
      public int read(byte[] buffer, int from, int length) throws IOException {
        int read = super.read(buffer, from, length);
        if (read < 0) {
          throw new IOException("it is gone");
        }
        return read;
      }
    };
  }

  @Test
  void losesNothingWhenTheInputFails() {
    var failing = failsAfter("1\n2\n");
    var session = Session.given(failing).run("pipe", "-q", "1/1s");
    session.fails(Status.IO, "cannot read standard input: it is gone");
    assertEquals("1\n2\n", session.out());
  }

  private static Written last(Session session) {
    return session.writes.get(session.writes.size() - 1);
  }

  @Test
  void linesThatMayNotGoNowAreLeft(@TempDir Path folder) throws Exception {
    Path rest = folder.resolve("rest");
    String input = "1\n2\n" + "x".repeat(200_000) + "\nlast";
    var session =
        Session.given(input).run("pipe", "-q", "2/1h", "--no-wait", "--rest", rest.toString());
    assertEquals("1\n2\n", session.out());
    assertEquals("pacegate: 2 lines are left in " + rest + "\n", session.err());
    assertEquals(Status.LEFT, session.status());
    assertEquals(input.substring(4), Files.readString(rest));
    Session.given("1\n2").run("pipe", "-q", "2/1h", "--no-wait").succeeds("1\n2");
    Session.given("")
        .run("pipe", "-q", "2/1h", "--no-wait", "--cost=bytes")
        .fails(Status.BAD, "--no-wait leaves whole lines, so it needs --cost lines");
  }
}
