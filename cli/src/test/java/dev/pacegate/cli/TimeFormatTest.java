package dev.pacegate.cli;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
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
          d.M.yy HH:mm:ss.S           | 31.1.26 12:00:00.0          | 31.1.26 12:00:01.5
          uuuu-MM-dd'T'HH:mm:ss[.S][X]| 2026-01-31T12:00:00         | 2026-01-31T13:00:01.5+01
          uuuuMMdd HH:mm:ss.S XX'/'VV | 20260131 13:00:00.0 +0100/CET| 20260131 12:00:01.5 +0000/UTC
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
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          dd.MM.uuuu HH:mm:ss    | 31.02.2026 12:00:00
          dd.MM.yyyy HH:mm:ss    | 29.02.2026 12:00:00
          dd.MM.uuuu HH:mm:ss    | 31.01.2026 24:00:00
          dd.MM.uuuu hh:mm:ss a  | 31.01.2026 13:00:00 PM
          uuuu-DDD HH:mm:ss      | 2026-366 12:00:00
          EEE d.M.uuuu HH:mm     | Sun 31.1.2026 12:00
          uuuu-MM-dd'T'HH:mm[X]VV| 2026-01-31T12:00CET
          """)
  void anInstantThatDoesNotExistIsNone(String format, String instant) {
    String err = audit(instant + "\n", format, "-c1").err();
    String begin =
        "pacegate: line 1 of standard input: \""
            + instant
            + "\" does not match --time-format "
            + format
            + ", such as ";
    assertTrue(err.startsWith(begin), err);
  }

  @Test
  void namesOfMonthsAreEnglishWhereverTheUserIs() {
    Locale before = Locale.getDefault();
    Locale.setDefault(Locale.GERMAN);
    try {
      String out = audit("5 May 2026 12:00\n", "d MMM uuuu HH:mm").out();
      assertTrue(out.startsWith("1 request, at 2026-05-05T12:00:00Z\n"), out);
    } finally {
      Locale.setDefault(before);
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      textBlock =
          """
          qqqqqqqq                    | Too many pattern letters: q
          b                           | Unknown pattern letter: b
          uuuu-MM-dd HH:mm:ss{        | Pattern includes reserved character: '{'
          HH:mm:ss                    | it has no date
          MMM d HH:mm:ss              | it has no date
          ""                          | it has no date
          'at' uuuu                   | it has no date
          ''                          | quotes and brackets around an instant are ignored, so leave them out
          dd.MM.YYYY HH:mm:ss         | it has no date; did you mean uuuu?
          dd.MM.uuuu                  | it has no time of day
          dd.MM.uuuu hh:mm            | it has no time of day
          dd.MM.uuuu HH:mm z          | z, v and B are names that may be of several words or mean several times
          dd.MM.uuuu HH:mm VV         | the name of a zone needs its offset beside it (XX), as it has two in autumn
          dd.MM.uuuu HH:mm[ XX]       | an optional part [] cannot have blanks, as these separate columns
          dd.MM.uuuu HH:mm['h'[' 'XX]]| an optional part [] cannot have blanks, as these separate columns
          '['dd.MM.uuuu HH:mm         | quotes and brackets around an instant are ignored, so leave them out
          dd.MM.uuuu HH:mm']'         | quotes and brackets around an instant are ignored, so leave them out
          """)
  void refusesAPatternThatTellsNoInstant(String format, String problem) {
    audit("1\n", format)
        .fails(
            2,
            "--time-format takes a date and a time of day such as 'dd.MM.uuuu HH:mm:ss', not '"
                + format
                + "': "
                + problem);
  }
}
