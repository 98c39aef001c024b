package dev.pacegate.limiter;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.Limiter;
import dev.pacegate.limit.Cost;
import dev.pacegate.limit.LimitFormatException;
import dev.pacegate.limit.Limits;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What an error advises to write can be written, however large the numbers are. */
class AdvisedLimitTest {

  private static final long DAY = 86_400_000_000_000L;
  private static final long LONGEST = 36_500 * DAY; // of the intervals that may be written

  private static final long[] COSTS = {
    2,
    99_999_999,
    100_000_000,
    Integer.MAX_VALUE,
    DAY,
    DAY + 1,
    LONGEST,
    LONGEST + 1,
    Long.MAX_VALUE
  };

  private static String error(String limit) {
    var wrong = assertThrows(LimitFormatException.class, () -> Limits.parse(limit));
    return String.valueOf(wrong.getMessage());
  }

  // ---- costs that are not counted

  private static String uncounted(String limit, Cost cost) {
    Limiter limiter = Limiter.of(limit);
    var error = assertThrows(IllegalArgumentException.class, () -> limiter.requireCounted(cost));
    return String.valueOf(error.getMessage());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "spacing(100ms)",
        "peer(spacing(100ms))",
        "concurrent(4)",
        "concurrent(4) & spacing(1ns)",
        "unlimited & concurrent(4, abandon=1s)",
      })
  void aLimitBesideOneOfCallsTakesTheCost(String limit) {
    for (long cost : COSTS) {
      String message = uncounted(limit, Cost.of(cost));
      String advice = message.replaceAll(".* such as ", "");
      if (cost <= LONGEST) {
        Limiter better = Limiter.of(advice);
        assertTrue(better.tryAcquire(cost).isPresent(), message);
        assertTrue(better.limits().toString().contains(limit), message);
      } else {
        assertTrue(message.endsWith("limits nothing: write a cost of 1"), message);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"90000/1m of tokens", "concurrent(4) of tokens & spacing(1s)"})
  void aNamedCostIsWrittenAsJavaReadsIt(String limit) {
    for (long cost : COSTS) {
      String literal = cost > Integer.MAX_VALUE ? cost + "L" : String.valueOf(cost);
      String message = uncounted(limit, Cost.of(cost));
      assertTrue(message.endsWith("write Cost.of(\"tokens\", " + literal + ")"), message);
    }
  }

  // ---- texts that are no limits

  @ParameterizedTest
  @CsvSource({"'',''", "bucket(,)", "fixed(,)", "peer(,)", "aligned(,)"})
  void aRateThatEndsEarlyIsCompleted(String before, String after) {
    long[] counts = {-1, 0, 1, 10, DAY / 1440, DAY / 1440 + 1, DAY - 1, DAY, Long.MAX_VALUE};
    for (long count : counts) {
      String message = error(before + count);
      Matcher example = Pattern.compile("as in ([^, ]+)").matcher(message);
      assertTrue(example.find(), message);
      assertDoesNotThrow(() -> Limits.parse(before + example.group(1) + after), message);
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "aligned(5/500ms); peer(5/500ms)",
        "'aligned(5/500ms, of=tokens)'; peer(5/500ms of tokens)",
        "'aligned(5/1d, margin=2d)'; peer(5/1d)",
        "'aligned(5/1w, margin=8d)'; peer(5/7d)",
        "'aligned(5/1mo, margin=29d)'; peer(5/31d)",
        "'aligned(5/1200mo, origin=2026-01-01T00:00:00Z, margin=36500d)'; peer(5/36500d)",
      })
  void aMarginAboveTheWindowLeadsToALimitWithoutOne(String wrong, String advice) {
    String message = error(wrong);
    assertTrue(message.contains("more, " + advice + " needs none"), message);
    assertEquals(advice, Limits.parse(advice).toString());
  }
}
