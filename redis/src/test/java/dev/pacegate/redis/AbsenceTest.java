package dev.pacegate.redis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** For how long a client stays away. */
class AbsenceTest {

  private static final long MILLI = 1_000_000;
  private static final long USE = 250 * MILLI;
  private static final long NOW = -5;

  private final Absence absence = new Absence();

  private @Nullable Long before;

  private @Nullable Long after(long took, long want, long comeBackIn, Reply.Grant... grants) {
    var request = new Request(1, List.of(new Request.Demand(want, 0, 0)), "7", "", "1", List.of());
    var reply =
        new Reply(
            1000,
            "7",
            "1",
            "",
            false,
            0,
            "",
            0,
            "",
            List.of(),
            comeBackIn,
            List.of(),
            List.of(grants));
    before = absence.after(request, reply, before, NOW, took, USE);
    return before;
  }

  private static Reply.Grant grant(long from, long units) {
    return new Reply.Grant(from, from + USE / 1000, List.of(units));
  }

  @Test
  void aStoreWithFewClientsIsAskedAgainAtOnce() {
    assertNull(after(MILLI, 2, 0, grant(1000, 2)));
    assertNull(absence.quietUntil());
    assertFalse(absence.isInCrowd());
  }

  @Test
  void itComesBackForTheRestAndReportsMeanwhile() {
    assertEquals(NOW + 300 * MILLI, after(MILLI, 2, 300_000, grant(1000, 1)));
    assertNull(absence.quietUntil());
    assertFalse(absence.isInCrowd());
  }

  @Test
  void inACrowdItIsQuietThoughItGotAll() {
    assertEquals(NOW + 300 * MILLI, after(MILLI, 2, 300_000, grant(1000, 3)));
    assertEquals(NOW + 300 * MILLI, absence.quietUntil());
    after(MILLI, 2, 300_000);
    assertTrue(absence.isInCrowd(), "one that gets nothing is still in it");
    after(MILLI, 2, 0, grant(1000, 2));
    assertFalse(absence.isInCrowd());
  }

  @Test
  void inACrowdACallThatReportsAloneDoesNotEndIt() {
    after(MILLI, 2, 300_000, grant(1000, 3));
    assertEquals(NOW + 300 * MILLI, after(MILLI, 0, 0));
    assertEquals(NOW + 300 * MILLI, absence.quietUntil());
    assertTrue(absence.isInCrowd());
    assertNull(after(MILLI, 2, 0, grant(1000, 2)));
    assertNull(after(MILLI, 0, 0));
    assertFalse(absence.isInCrowd());
  }

  @Test
  void theMoreAnswersAreLateTheLongerItStaysAway() {
    assertNull(after(4000 * MILLI, 2, 0), "one may be late by chance");
    for (long pause : new long[] {250, 500, 1000, 2000, 4000, 5000, 5000}) {
      assertEquals(NOW + pause * MILLI, after(4000 * MILLI, 2, 0));
      assertEquals(NOW + pause * MILLI, absence.quietUntil());
    }
    for (long pause : new long[] {2500, 1250, 625, 312, 156}) {
      assertEquals(pause, pauseInMillis(after(MILLI, 2, 0)));
    }
    assertNull(after(MILLI, 2, 0));
  }

  private static long pauseInMillis(@Nullable Long again) {
    return again == null ? 0 : (again - NOW) / MILLI;
  }

  @Test
  void itStaysAwayForTwiceWhatTheAnswerTookAtMost() {
    after(4000 * MILLI, 2, 0);
    after(4000 * MILLI, 2, 0);
    after(4000 * MILLI, 2, 0);
    after(4000 * MILLI, 2, 0);
    assertEquals(NOW + 600 * MILLI, after(300 * MILLI, 2, 0));
  }

  @Test
  void itComesNoEarlierThanItIsTold() {
    after(USE, 2, 3_000_000);
    assertEquals(NOW + 3000 * MILLI, after(USE, 2, 3_000_000));
  }
}
