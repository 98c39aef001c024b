package dev.pacegate.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.time.Durations;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SuggestionTest {

  @Test
  void printsTheTightestLimits() {
    var session = Session.given("0.0\n0.5\n0.6\n30\n").run("audit", "--suggest");
    assertEquals(Status.OK, session.status(), session.err());
    assertEquals(
        List.of(
            "3/1s                    most: 3 within 600ms, from 0 to 0.6",
            "3/10s                   most: 3 within 600ms, from 0 to 0.6",
            "4/1m                    most: 4 within 30s, from 0 to 30",
            "4/10m                   most: 4 within 30s, from 0 to 30",
            "4/1h                    most: 4 within 30s, from 0 to 30",
            "4/1d                    most: 4 within 30s, from 0 to 30",
            "bucket(1/1h, burst=4)   largest burst: 3.992, by 4 within 30s, from 0 to 30",
            "bucket(10/1h, burst=4)  largest burst: 3.917, by 4 within 30s, from 0 to 30",
            "bucket(1/1m, burst=4)   largest burst: 3.5, by 4 within 30s, from 0 to 30",
            "bucket(10/1m, burst=3)  largest burst: 2.9, by 3 within 600ms, from 0 to 0.6",
            "bucket(1/1s, burst=3)   largest burst: 2.4, by 3 within 600ms, from 0 to 0.6",
            "bucket(5/1s, burst=2)   largest burst: 1.5, by 2 within 100ms, from 0.5 to 0.6",
            "spacing(100ms)          smallest gap: 100ms, from 0.5 to 0.6"),
        session.out().lines().toList());
  }

  /** The judge of a limit, in a run of its own, keeps what was suggested and nothing tighter. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5})
  void suggestionsAreKeptAndNothingTighterIs(long seed) {
    var random = new Random(seed);
    var log = new StringBuilder();
    double instant = 0;
    for (int i = 0; i < 400; i++) {
      instant += random.nextInt(5) == 0 ? random.nextInt(100) : random.nextDouble() / 4;
      String took = String.format(Locale.ROOT, "%.3f", random.nextDouble());
      log.append(String.format(Locale.ROOT, "%.3f ", instant))
          .append(took)
          .append(" client")
          .append(random.nextInt(3));
      log.append('\n');
    }
    for (List<String> options :
        List.<List<String>>of(
            List.of("--by", "3"), List.of("--by", "3", "--duration-column", "2"), List.of())) {
      String suggested = run(log, "--suggest", options).out();
      assertTrue(
          suggested.lines().filter(line -> line.contains("bucket(")).count() >= 3, suggested);
      suggested
          .lines()
          .forEach(line -> assertTightest(log, line.substring(0, line.indexOf("  ")), options));
    }
  }

  private static void assertTightest(CharSequence log, String limit, List<String> options) {
    assertEquals(Status.OK, run(log, limit, options).status(), limit);
    boolean isLeast =
        limit.contains("bucket")
            ? limit.contains("burst=1)")
            : limit.matches("(peer\\()?1/.*|concurrent\\(1\\)");
    if (!isLeast) {
      String tighter = limit.contains("spacing") ? longer(limit) : fewer(limit);
      assertEquals(Status.BROKEN, run(log, tighter, options).status(), tighter);
    }
  }

  private static String fewer(String limit) {
    return Pattern.compile(limit.contains("burst=") ? "(?<=burst=)\\d+" : "\\d+")
        .matcher(limit)
        .replaceFirst(number -> Long.toString(Long.parseLong(number.group()) - 1));
  }

  private static String longer(String spacing) {
    return Pattern.compile("(?<=spacing\\()[^)]*")
        .matcher(spacing)
        .replaceFirst(gap -> Durations.format(Durations.parseNanos(gap.group()) + 1));
  }

  private static Session run(CharSequence log, String first, List<String> options) {
    var arguments = new ArrayList<>(List.of("audit", first, "-c", "1"));
    arguments.addAll(options);
    return Session.given(log.toString()).run(arguments.toArray(String[]::new));
  }

  /** A bucket lets a larger cost pass, so no burst would be the tightest. */
  @Test
  void costsHaveNoBuckets() {
    var session = Session.given("0 100\n1000 1\n").run("audit", "--suggest", "--cost-column", "2");
    assertEquals(Status.OK, session.status());
    assertTrue(session.out().contains("100/1s") && !session.out().contains("bucket"));
  }

  @Test
  void takesNoLimit() {
    var session = Session.given("0\n").run("audit", "--suggest", "-l", "5/1s");
    assertEquals(Status.BAD, session.status());
    assertTrue(session.err().contains("--suggest takes no limit"), session.err());
  }

  @Test
  void anEmptyLogSuggestsNothing() {
    var session = Session.given("").run("audit", "--suggest");
    assertEquals("nothing to count\n", session.out());
  }
}
