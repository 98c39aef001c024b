package dev.pacegate.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.cli.Instants.BadInstant;
import dev.pacegate.cli.Instants.Unit;
import java.time.Instant;
import java.time.LocalDate;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class InstantsTest {

  private static final LocalDate TODAY = LocalDate.of(2026, 1, 31);

  private static long parse(Unit unit, String text) throws BadInstant {
    byte[] line = ("<" + text + ">").getBytes(UTF_8);
    return new Instants(unit, TODAY).parse(line, 1, line.length - 1);
  }

  @ParameterizedTest
  @CsvSource({
    "1970-01-01T00:00:00Z, 0",
    "1970-01-01T00:00Z, 0",
    "1970-01-01 00:00:01, 1000000000",
    "1970-01-01T00:00:00.000000001Z, 1",
    "'1970-01-01 00:00:00,5', 500000000",
    "1970-01-01T01:00:00+01:00, 0",
    "1970-01-01T01:30:00+0130, 0",
    "1969-12-31T23:00:00-01, 0",
    "1969-12-31T23:59:59.999999999Z, -1",
    "2026-01-31T12:00:00.1234567890Z, 1769860800123456789",
    "2261-12-31T23:59:59.999999999Z, 9214646399999999999",
  })
  void readsDates(String text, long nanos) throws BadInstant {
    assertEquals(nanos, parse(Unit.S, text));
  }

  @ParameterizedTest
  @CsvSource({
    "S, 0, 0",
    "S, 1769860800.123456789, 1769860800123456789",
    "S, 1.5, 1500000000",
    "S, 1., 1000000000",
    "S, 1.0000000000000, 1000000000",
    "S, -1.5, -1500000000",
    "MS, 1769860800123, 1769860800123000000",
    "MS, 1.000001, 1000001",
    "US, 1769860800123456, 1769860800123456000",
    "NS, 1769860800123456789, 1769860800123456789",
    "NS, 9223372036854775807, 9223372036854775807",
  })
  void readsNumbers(Unit unit, String text, long nanos) throws BadInstant {
    assertEquals(nanos, parse(unit, text));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "-",
        ".",
        ".5",
        "x",
        "1x",
        "1 2",
        "1e9",
        "0x10",
        "+1",
        "1,5",
        "1.5.5",
        "1.0000000001",
        "٣",
        "9223372037",
        "9223372036854775808",
        "99999999999999999999999",
        "12:00:00",
        "2026-01-31",
        "2026-01-31T",
        "2026-01-31T12",
        "2026-01-31T24:00:00",
        "2026-01-31T12:60:00",
        "2026-01-31T12:00:60",
        "2026-02-29T00:00:00",
        "2026-13-01T00:00:00",
        "2026-00-01T00:00:00",
        "2026-01-31X12:00:00",
        "2026-01-31  12:00:00",
        "2026-01-31T12:00:00 Z",
        "2026-01-31T12:00:00+",
        "2026-01-31T12:00:00+1",
        "2026-01-31T12:00:00+19:00",
        "2026-01-31T12:00:00+01:0",
        "2026-01-31T12:00:00ZZ",
        "2026-01-31T12:00:00.0000000001",
        "2300-01-01T00:00:00Z",
        "1600-01-01T00:00:00Z",
        "0000-00-00T00:00:00Z",
        "-026-01-01T00:00:00"
      })
  void refusesAnythingElse(String text) {
    assertThrows(BadInstant.class, () -> parse(Unit.S, text));
  }

  @Test
  void agreesWithTheDatesOfTheJdk() throws BadInstant {
    long seed = Long.getLong("seed", System.nanoTime());
    var random = new Random(seed);
    var instants = new Instants(Unit.S, TODAY);
    for (int i = 0; i < 20_000; i++) {
      long nanos = random.nextLong() / 2;
      Instant instant = Instant.ofEpochSecond(0, nanos);
      int minutes = random.nextInt(-18 * 60, 18 * 60 + 1);
      String text =
          OffsetDateTime.ofInstant(instant, ZoneOffset.ofTotalSeconds(minutes * 60)).toString();
      byte[] bytes = text.getBytes(UTF_8);
      assertEquals(nanos, instants.parse(bytes, 0, bytes.length), () -> text + ", seed " + seed);
      assertEquals(instant.toString(), instants.format(nanos), () -> text + ", seed " + seed);
    }
  }

  @Test
  void writesNumbersInTheUnitInWhichTheyAreRead() throws BadInstant {
    for (Unit unit : Unit.values()) {
      for (long nanos : new long[] {0, 1, -1, 1_000_000_000, 1_500_000_001, -15, Long.MAX_VALUE}) {
        assertEquals(nanos, parse(unit, new Instants(unit, TODAY).format(nanos)));
      }
    }
    assertEquals("1.5", new Instants(Unit.S, TODAY).format(1_500_000_000));
    assertEquals("-0.000000001", new Instants(Unit.S, TODAY).format(-1));
    assertEquals("12", new Instants(Unit.NS, TODAY).format(12));
  }

  @Test
  void hintsAtTheUnitIfANumberIsTooLarge() {
    var e = assertThrows(BadInstant.class, () -> parse(Unit.S, "1769860800123"));
    assertTrue(String.valueOf(e.getMessage()).endsWith("(see --unit)"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "31/Jan/2026:12:00:00 +0100 | 2026-01-31T11:00:00Z",
        "31/Jan/2026:12:00:00.123 | 2026-01-31T12:00:00.123Z",
        "Sat, 31 Jan 2026 12:00:00 GMT | 2026-01-31T12:00:00Z",
        "Sat, 3 Jan 2026 12:00:00 -0500 | 2026-01-03T17:00:00Z",
        "Jan 31 12:00:00 | 2026-01-31T12:00:00Z",
        "Jan  3 12:00:00 | 2026-01-03T12:00:00Z",
        "Feb 3 12:00:00.5 | 2025-02-03T12:00:00.500Z",
      })
  void readsDatesOfLogs(String text, Instant expected) throws Exception {
    assertEquals(
        expected.getEpochSecond() * 1_000_000_000 + expected.getNano(), parse(Unit.S, text));
  }

  /** Lines of the old year and of the new may be mixed. */
  @Test
  void addsTheYearToDatesOfSyslog() throws Exception {
    var instants = new Instants(Unit.S, TODAY);
    for (String date :
        new String[] {
          "2025 Jun 30",
          "2025 Nov 30",
          "2026 Jan  2",
          "2025 Dec 31",
          "2026 Jan  1",
          "2025 Dec 31",
          "2026 Jan 31"
        }) {
      byte[] line = (date.substring(5) + " 00:00:00").getBytes(UTF_8);
      instants.parse(line, 0, line.length);
      String year = instants.format(instants.parse(line, 0, line.length)).substring(0, 4);
      assertEquals(date.substring(0, 4), year, date);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "31/Jan/2026",
        "31/Jen/2026:12:00:00",
        "32/Jan/2026:12:00:00",
        "Sat, Jan",
        "Jan 31",
        "Jan",
        "Feb 30 12:00:00",
        "Sat,",
        "31/Jan/2026:12:00:60"
      })
  void refusesDatesOfLogsThatAreNone(String text) {
    assertThrows(BadInstant.class, () -> parse(Unit.S, text));
  }
}
