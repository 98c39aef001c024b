package dev.pacegate.redis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.limit.Limits;
import dev.pacegate.time.ManualTime;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What all keys of a name see is told once. */
class LimitLogTest {

  private static final String REFUSED = "does not answer: cannot connect: Connection refused";
  private static final String SILENT = "does not answer: no answer for 1s";
  private static final int KEYS = 2000;

  private final ManualTime time = ManualTime.manual(Long.MAX_VALUE - 5);
  private final LoggedLines lines = new LoggedLines();
  private final LimitLog log = new LimitLog("many", WhenDown.WAIT, time);

  @AfterEach
  void close() {
    lines.close();
  }

  private List<String> told() {
    return lines.with("many: ").stream().map(line -> line.substring(6)).toList();
  }

  private void fail(Object key, String why) {
    log.failed(key, why);
    time.advance(Duration.ofSeconds(1));
    log.failed(key, why);
  }

  @Test
  void anOutageOfManyKeysIsToldOnceAndItsEndWithTheLastOfThem() {
    for (int i = 0; i < 10 * KEYS; i++) {
      log.failed(i % KEYS, REFUSED);
      time.advance(Duration.ofMillis(6)); // two minutes in all
    }
    String warning = "the store " + REFUSED + "; requests wait";
    assertEquals(List.of(warning, warning), told());
    for (int key = 1; key < KEYS; key++) {
      log.answered(key);
    }
    assertEquals(2, told().size());
    log.answered(0);
    assertEquals("the store answers again", told().get(2));
    log.answered(0);
    assertEquals(3, told().size());
  }

  @Test
  void anOutageOfLessThanASecondIsNotTold() {
    log.failed(1, REFUSED);
    time.advance(Duration.ofMillis(999));
    log.failed(1, REFUSED);
    log.answered(1);
    assertEquals(List.of(), told());
  }

  /** A silence may be told before it is known that no connection can be made. */
  @Test
  void aSecondReasonIsToldAndNoThird() {
    fail(1, SILENT);
    fail(2, REFUSED);
    fail(1, "answers with an error: LOADING");
    fail(1, SILENT);
    assertEquals(
        List.of(
            "the store " + SILENT + "; requests wait", "the store " + REFUSED + "; requests wait"),
        told());
  }

  @Test
  void aServerThatComesAndGoesIsToldThreeTimesAMinute() {
    for (int i = 0; i < 30; i++) {
      fail(i, REFUSED);
      log.answered(i);
      time.advance(Duration.ofSeconds(1));
    }
    assertEquals(6, told().size());
    fail(1, REFUSED);
    assertEquals(7, told().size());
  }

  @Test
  void refusalsAreNamed() {
    var refusing = new LimitLog("refusing", WhenDown.FAIL, time);
    refusing.failed(1, SILENT);
    time.advance(Duration.ofSeconds(1));
    refusing.failed(1, SILENT);
    assertEquals(
        List.of("refusing: the store " + SILENT + "; requests are refused"),
        lines.with("refusing: "));
  }

  @Test
  void aFenceIsToldOnceForAllKeysAndSoIsAPause() {
    for (int key = 0; key < KEYS; key++) {
      log.fence(reply("7", 0));
      log.fence(reply("7", 3_000_000 - key));
      log.pause("paused in the store: why", reply("7", 0), 0);
    }
    log.fence(reply("8", 1_000_000));
    log.pause("", reply("8", 0), 1);
    log.pause("", reply("8", 0), 1);
    assertEquals(
        List.of(
            "no permits are granted for 3s, because it was lost and earlier requests may still count",
            "paused in the store: why",
            "no permits are granted for 1s, because it was lost and earlier requests may still count",
            "the pause is over"),
        told());
  }

  private static Reply reply(String epoch, long closedFor) {
    return new Reply(
        0,
        epoch,
        "",
        "",
        false,
        closedFor,
        "it was lost",
        0,
        "",
        List.of(),
        0,
        List.of(),
        List.of());
  }

  @ParameterizedTest
  @CsvSource({
    "concurrent(20), 100, less busy",
    "concurrent(20) & 100/1s, 100, less busy",
    "100/1s, 250, 'less busy, or a longer interval'",
    "100/1m, 2000, less busy"
  })
  void anAnswerThatTakesTooLongIsToldWithWhatMayBeDone(String limit, long most, String end) {
    Terms terms = Terms.of(Limits.parse(limit), Duration.ZERO);
    for (int i = 0; i < 3 * KEYS; i++) {
      log.took(Duration.ofMillis(most).toNanos(), terms);
    }
    String took = most < 1000 ? most + "ms" : most / 1000 + "s";
    assertEquals(
        List.of(
            "the store takes "
                + took
                + " to answer, and must take less than "
                + took
                + " for "
                + limit
                + "; requests wait. Use a Redis server that is nearer or "
                + end),
        told());
  }

  @Test
  void anAnswerThatIsLateNowAndThenIsNotTold() {
    Terms terms = Terms.of(Limits.parse("100/1s"), Duration.ZERO);
    for (int i = 0; i < KEYS; i++) {
      log.took(Duration.ofMillis(i % 5 == 0 ? 249 : 250).toNanos(), terms);
    }
    assertTrue(told().isEmpty(), () -> "" + told());
  }

  @Test
  void aStoreThatIsSlowAgainAndAgainIsToldOnceAMinute() {
    Terms terms = Terms.of(Limits.parse("100/1s"), Duration.ZERO);
    for (int i = 0; i < 121; i++) {
      for (int call = 0; call < 5; call++) {
        log.took(Duration.ofMillis(300).toNanos(), terms);
      }
      log.took(0, terms);
      time.advance(Duration.ofSeconds(1));
    }
    assertEquals(3, told().size());
  }

  /** Each tag has an epoch of its own, and what one says is that of a part of the keys. */
  @Test
  void fencesOfTagsForOneReasonAreToldOnceAsThoseOfAPartOfTheKeys() {
    var spread = new LimitLog("many", 16, WhenDown.WAIT, time);
    for (int key = 0; key < KEYS; key++) {
      spread.fence(key % 16, reply("7" + key % 16, 3_000_000), time.nanoTime());
    }
    String fence = LimitLog.fence(3_000_000, reply("7", 0).reason());
    String part = fence.replace("granted for", "granted to a part of the keys for");
    assertEquals(List.of(part), told());
    time.advance(Duration.ofSeconds(4));
    spread.fence(3, reply("73", 1_000_000), time.nanoTime());
    assertEquals(1, told().size());
    spread.fence(3, reply("8", 3_000_000), time.nanoTime());
    assertEquals(List.of(part, part), told());
  }

  @Test
  void aPauseOfTagsIsToldWithTheFirstAndItsEndWithTheLast() {
    var spread = new LimitLog("many", 3, WhenDown.WAIT, time);
    for (int tag = 0; tag < 3; tag++) {
      spread.pause(tag, "paused in the store: why", reply("7" + tag, 0), 0);
    }
    assertEquals(List.of("paused in the store: why"), told());
    spread.pause(1, "", reply("71", 0), 1);
    spread.pause(2, "paused in the store: why", reply("72", 0), 2);
    spread.pause(0, "", reply("70", 0), 3);
    assertEquals(1, told().size());
    spread.pause(2, "", reply("72", 0), 4);
    assertEquals(List.of("paused in the store: why", "the pause is over"), told());
  }
}
