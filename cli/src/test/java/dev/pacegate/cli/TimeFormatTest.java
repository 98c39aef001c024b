package dev.pacegate.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TimeFormatTest {

  private static Session audit(String log, String format, String... options) {
    var arguments = new ArrayList<>(List.of("audit", "9/1s"));
    arguments.addAll(List.of("--time-format", format));
    arguments.addAll(List.of(options));
    return Session.given(log).run(arguments.toArray(String[]::new));
  }

  /** The second line is 1.5 s after the first. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          dd.MM.uuuu HH:mm:ss.SSS     | 31.01.2026 12:00:00.000     | 31.01.2026 12:00:01.500
          yyyyMMdd-HHmmss.S           | 20260131-120000.0           | 20260131-120001.5
          uuuu/MM/dd hh:mm:ss.S a     | 2026/01/31 12:00:00.0 pm    | 2026/01/31 12:00:01.5 PM
          d MMM uuuu HH:mm:ss.S XX    | 31 JAN 2026 13:00:00.0 +0100| 31 Jan 2026 12:00:01.5 +0000
          uuuu-DDD HH:mm:ss,S         | 2026-031 12:00:00,0         | 2026-031 12:00:01,5
          """)
  void readsWhatAPatternSays(String format, String one, String other) {
    String found = " requests within 1.5s, from 2026-01-31T12:00:00Z to 2026-01-31T12:00:01.500Z\n";
    for (String log : new String[] {one + "\n" + other, one + " x y\n" + other + " x"}) {
      String out = audit(log, format).out();
      assertTrue(out.startsWith("2" + found), () -> log + "\n" + audit(log, format).err() + out);
    }
    String out = audit("a b [" + one + "] x\na b [" + other + "] y\n", format, "-c3").out();
    assertTrue(out.startsWith("2" + found), out);
    out = audit("a;" + one + ";x\nb;" + other + ";y\n", format, "-s;", "--by=1").out();
    assertTrue(out.startsWith("2 requests in 2 groups"), out);
    out = audit("{\"ts\":\"" + one + "\"}\n{\"ts\":\"" + other + "\"}\n", format).out();
    assertTrue(out.startsWith("2" + found), out);
  }

  @Test
  void tellsWhatWasTried() {
    audit("31.01.2026 12:00:00\n2026-01-31T12:00:00Z x\n", "dd.MM.uuuu HH:mm:ss")
        .fails(
            2,
            "line 2 of standard input: \"2026-01-31T12:00:00Z x\" does not match --time-format"
                + " dd.MM.uuuu HH:mm:ss, such as 31.01.2026 13:45:59");
  }

  @ParameterizedTest
  @CsvSource({
    "qqqqqqqq",
    "HH:mm:ss",
    "dd.MM.uuuu",
    "MMM d HH:mm:ss",
    "'uuuu-MM-dd HH:mm:ss{'",
    "b",
    "''"
  })
  void refusesAPatternThatTellsNoInstant(String format) {
    Session session = audit("1\n", format);
    assertEquals(2, session.status());
    assertEquals("", session.out());
    String begin =
        "pacegate: --time-format takes a date and a time of day such as 'dd.MM.uuuu HH:mm:ss', not '";
    assertTrue(session.err().startsWith(begin + format + "': "), session.err());
    assertEquals(1, session.err().lines().count(), session.err());
  }
}
