package dev.pacegate.limit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.limit.spi.Meter;
import dev.pacegate.time.Durations;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What limits say of themselves that is allowed but hardly meant. */
class WarningsTest {

  private static final Instant NOON = Instant.parse("2026-11-20T12:00:00Z");

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "aligned(10/1s)"
            + "|aligned(10/1s) uses at most 33 % of what the service allows: with its margin of 1s,"
            + " each request counts in 3 windows; if the clocks agree to within 50ms, write"
            + " aligned(10/1s, margin=50ms), otherwise peer(10/1s)",
        "4/1s & aligned(10/1s, margin=500ms, of=mb)"
            + "|aligned(10/1s, margin=500ms, of=mb) uses at most 50 % of what the service allows:"
            + " with its margin of 500ms, each request counts in 2 windows; if the clocks agree to"
            + " within 50ms, write aligned(10/1s, margin=50ms, of=mb), otherwise peer(10/1s of mb)",
        "aligned(10/10s, zone=Europe/Berlin)"
            + "|aligned(10/10s, zone=Europe/Berlin) leaves 80 % of each window: within its margin of"
            + " 1s around a boundary, a request counts in two windows; if the clocks agree to within"
            + " 500ms, write aligned(10/10s, zone=Europe/Berlin, margin=500ms), otherwise"
            + " peer(10/10s)",
      })
  void aMarginThatTakesMuchOfAWindowIsWarnedOf(String limit, String warning) {
    assertEquals(List.of(warning), Limits.parse(limit).warnings());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "aligned(10/20s)", "aligned(10/1m)", "aligned(10/1mo)", "aligned(10/1s, margin=50ms)",
        "aligned(10/1s, margin=0s)", "aligned(1/1ns, margin=0s)", "10/1s & peer(5/1s)",
            "fixed(3/1s)"
      })
  void limitsThatAreMeantAreNotWarnedOf(String limit) {
    assertEquals(List.of(), Limits.parse(limit).warnings());
  }

  @Test
  void theExamplesOfAllKindsAreNotWarnedOf() {
    for (LimitForm form : Limits.forms()) {
      assertEquals(List.of(), Limits.parse(form.example()).warnings(), form.example());
    }
  }

  @Test
  void aLimitNamedInAWarningHasNoWarning() {
    Seeds.forEach(
        1_000,
        random -> {
          long length = 1 + random.nextLong(random.nextBoolean() ? 100 : 90_000_000_000L);
          long margin = random.nextLong(length + 1);
          Limit limit =
              Limits.parse(
                  "aligned(1/%s, origin=2026-11-20T12:00:00Z, margin=%s)"
                      .formatted(Durations.format(length), Durations.format(margin)));
          List<String> warnings = limit.warnings();
          assertEquals(margin > length / 20 ? 1 : 0, warnings.size(), limit.toString());
          for (String warning : warnings) {
            String instead =
                warning.replaceFirst(".*, write (aligned\\(.*\\)), otherwise .*", "$1");
            assertEquals(List.of(), Limits.parse(instead).warnings(), warning);
            String peer = warning.replaceFirst(".*, otherwise ", "");
            assertTrue(Limits.parse(peer) instanceof Peer, warning);
          }
        });
  }

  /** Requests that take no time, as many as may go, for 60 windows of a second. */
  @ParameterizedTest
  @CsvSource({"1s, 33", "999ms, 50", "750ms, 50", "500ms, 50", "499ms, 100", "50ms, 100"})
  void asMuchIsUsedAsTheWarningSays(String margin, int percent) {
    Limit limit = Limits.parse("aligned(10/1s, margin=" + margin + ")");
    long[] now = {0};
    Meter meter = limit.newMeter(0, () -> NOON.plusNanos(now[0]));
    int released = 0;
    while (true) {
      long wait = meter.nanosUntil(now[0], now[0], Cost.ONE);
      if (now[0] + wait >= Duration.ofSeconds(60).toNanos()) {
        break;
      }
      now[0] += wait;
      if (wait == 0) {
        meter.release(now[0], now[0], Cost.ONE);
        meter.end(now[0], now[0], Cost.ONE, Outcome.ANSWERED);
        released++;
      }
    }
    assertEquals(percent, 100.0 * released / 600, 2, limit.toString());
    String used = "uses at most " + percent + " %";
    assertEquals(percent < 100, limit.warnings().toString().contains(used), limit.toString());
  }
}
