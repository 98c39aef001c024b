package dev.pacegate.time;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DurationsTest {

  @ParameterizedTest
  @CsvSource({
    "0s, 0, 0s",
    "1ns, 1, 1ns",
    "ns, 1, 1ns",
    "5us, 5_000, 5us",
    "100ms, 100_000_000, 100ms",
    "1s, 1_000_000_000, 1s",
    "s, 1_000_000_000, 1s",
    "1m, 60_000_000_000, 1m",
    "1min, 60_000_000_000, 1m",
    "1h, 3_600_000_000_000, 1h",
    "1d, 86_400_000_000_000, 1d",
    "36500d, 3_153_600_000_000_000_000, 36500d",
    "1h30m, 5_400_000_000_000, 90m",
    "1d2h3m4s5ms6us7ns, 93_784_005_006_007, 93784005006007ns",
    "1_0s, 10_000_000_000, 10s",
    "90s, 90_000_000_000, 90s",
    "1000ms, 1_000_000_000, 1s",
    "00012s, 12_000_000_000, 12s"
  })
  void readsAndWritesTheLargestUnitThatIsExact(String text, String nanos, String canonical) {
    long expected = Long.parseLong(nanos.replace("_", ""));
    assertEquals(expected, Durations.parseNanos(text));
    assertEquals(Duration.ofNanos(expected), Durations.parse(text));
    assertEquals(canonical, Durations.format(expected));
    assertEquals(canonical, Durations.format(Duration.ofNanos(expected)));
    assertEquals(expected, Durations.parseNanos(canonical));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "''; \"\" has no unit, expected one of ns us ms s m min h d",
        "1; \"1\" has no unit",
        "1x; \"1x\" has unit \"x\", expected one of ns us ms s m min h d",
        "1S; has unit \"S\"",
        "1w; has unit \"w\"",
        "1 s; \"1 s\" has \" \" where a number or a unit belongs",
        "-1s; \"-1s\" has \"-\" where a number or a unit belongs",
        "1s?; \"1s?\" has \"?\" where a number or a unit belongs",
        "1.5s; decimals are not allowed, use a smaller unit (1500ms, not 1.5s)",
        "1,5s; decimals are not allowed",
        "_s; has no digit where a number belongs",
        "30m1h; units go from large to small, each once",
        "1m1min; units go from large to small, each once",
        "36501d; \"36501d\" is too long: at most 36500d",
        "36500d1ns; is too long: at most 36500d",
        "99999999999999999999999s; is too long: at most 36500d"
      })
  void saysWhatIsWrong(String text, String problem) {
    var wrong = assertThrows(IllegalArgumentException.class, () -> Durations.parseNanos(text));
    String message = String.valueOf(wrong.getMessage());
    assertTrue(message.contains(problem), message);
  }

  @Test
  void readsBackWhateverItWrites() {
    var random = new SplittableRandom(7);
    for (int i = 0; i < 5000; i++) {
      long nanos = random.nextLong(Durations.MAX_DAYS * 86_400_000_000_000L) >>> random.nextInt(62);
      assertEquals(nanos, Durations.parseNanos(Durations.format(nanos)));
    }
  }

  @Test
  void writesDecimalsForPeople() {
    assertEquals("0s", Durations.decimal(0));
    assertEquals("999ns", Durations.decimal(999));
    assertEquals("1.5us", Durations.decimal(1_500));
    assertEquals("1.000001ms", Durations.decimal(1_000_001));
    assertEquals("950ms", Durations.decimal(950_000_000));
    assertEquals("1.2s", Durations.decimal(1_200_000_000));
    assertEquals("1m", Durations.decimal(60_000_000_000L));
    assertEquals("-1.5ms", Durations.decimal(-1_500_000));
    assertEquals("1m30s", Durations.decimal(90_000_000_000L));
    assertEquals("1h0.000000001s", Durations.decimal(3_600_000_000_001L));
    assertEquals("-2d3h4m5.6s", Durations.decimal(-183_845_600_000_000L));
    assertEquals("106751d23h47m16.854775807s", Durations.decimal(Long.MAX_VALUE));
    assertEquals("-106751d23h47m16.854775807s", Durations.decimal(Long.MIN_VALUE));
    assertEquals("1.437s", Durations.decimal(Duration.ofMillis(1_437)));
    assertEquals("106751991167300d", Durations.decimal(Duration.ofSeconds(Long.MAX_VALUE)));
  }

  @ParameterizedTest
  @CsvSource({
    "0, 0s",
    "-5, 0s",
    "999, 999ns",
    "1999, 1us",
    "950000001, 950ms",
    "1000000000, 1s",
    "59123456789, 59.1s",
    "59999999999, 59.9s",
    "60061000000, 1m",
    "72000000000, 1m12s",
    "3599000000000, 59m59s",
    "8100000000000, 2h15m",
    "183600000000000, 2d3h",
    "9223372036854775807, 106751d23h"
  })
  void writesBrieflyForPeople(long nanos, String text) {
    assertEquals(text, Durations.brief(nanos));
    assertEquals(text, Durations.brief(Duration.ofNanos(nanos)));
  }

  @Test
  void theLongestDurationIsWritten() {
    assertEquals("106751d23h", Durations.brief(Duration.ofSeconds(Long.MAX_VALUE)));
  }
}
