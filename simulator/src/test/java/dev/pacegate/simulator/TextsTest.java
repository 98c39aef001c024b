package dev.pacegate.simulator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Rules, delays, demands and files as text. */
class TextsTest {

  @ParameterizedTest
  @ValueSource(
      strings = {
        "fixed(10/1s)",
        "fixed(10/1s, phase=300ms)",
        "sliding(10/1m)",
        "estimated(10/1s)",
        "estimated(10/1m, phase=300ms)",
        "bucket(10/1s, burst=5)",
        "gcra(10/1s, burst=5)",
        "spacing(100ms)",
        "aligned(10/1m)",
        "concurrent(4)"
      })
  void rulesReadWhatTheyWrite(String text) {
    assertEquals(text, Rule.parse(text).toString());
    assertEquals(Rule.parse(text), Rule.parse(text.replace(",", " , ").replace("(", " ( ")));
  }

  @ParameterizedTest
  @ValueSource(strings = {"0s", "40ms", "20ms..80ms", "lognormal(50ms, p99=400ms)"})
  void delaysReadWhatTheyWrite(String text) {
    assertEquals(text, Delay.parse(text).toString());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"always", "loop(20)", "even(10/1s)", "random(10/1s)", "bursts(50, every=10s)"})
  void demandsReadWhatTheyWrite(String text) {
    assertEquals(text, Demand.parse(text).toString());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "fixed(10/1s, phase=1s)|\"fixed(10/1s, phase=1s)\" has a phase that must be less than 1s",
        "fixed(10/1s, burst=2)|\"fixed(10/1s, burst=2)\" has no option \"burst\", allowed: phase",
        "sliding(10/1s, x=2)|\"sliding(10/1s, x=2)\" has no option \"x\", allowed: none",
        "estimated(10/1s, phase=1s)|\"estimated(10/1s, phase=1s)\" has a phase that must be less than 1s",
        "sliding(10)|\"sliding(10)\" takes a rate such as 10/1s, not \"10\"",
        "sliding(x/1s)|\"sliding(x/1s)\" takes a whole number, not \"x\"",
        "concurrent(0)|\"concurrent(0)\" takes a whole number from 1, not \"0\"",
        "spacing(0s)|\"spacing(0s)\" takes a duration such as 100ms, longer than 0",
        "bucket(1/1s|\"bucket(1/1s\" has no \")\" at the end",
        "bucket(1/1s, 5)|\"bucket(1/1s, 5)\" has \"5\" where key=value belongs",
      })
  void rulesSayWhatIsWrong(String text, String message) {
    var e = assertThrows(IllegalArgumentException.class, () -> Rule.parse(text));
    assertEquals(message, e.getMessage());
  }

  private static void fails(String yaml, String message) {
    var e =
        assertThrows(
            IllegalArgumentException.class,
            () -> Scenarios.read("mine.yaml", yaml, new Settings()));
    assertEquals(message, e.getMessage());
  }

  @Test
  void filesSayWhereTheyAreWrong() {
    fails("", "mine.yaml: the file is empty");
    fails("peer: sliding(1/1s)", "mine.yaml, line 1: runs is missing: a list of limits to try");
    fails("runs: []", "mine.yaml, line 1: runs is empty: give at least one limit");
    fails("- 1", "mine.yaml, line 1: the file must have keys and values");
    fails("runs:\n  - refused: none", "mine.yaml, line 2: limit is missing, such as peer(10/1s)");
    fails(
        "runs:\n  - limit: 10/1x",
        "mine.yaml, line 2: limit: \"10/1x\", column 4: \"1x\" has unit \"x\", expected one of ns us"
            + " ms s m min h d");
    fails(
        "peer: sliding(1/1s)\ndelay: [1]\nruns: []", "mine.yaml, line 2: delay must be one value");
    fails(
        "peer: sliding(1/1s)\nlost: 101%\nruns: []",
        "mine.yaml, line 2: lost: odds must be from 0% to 100%: 101%");
    fails(
        "runs:\n  - limit: 10/1s\n    refused: few",
        "mine.yaml, line 3: refused must be none or some, not \"few\"");
    fails("runs:\n  - limit: 10/1s\n    limit: 11/1s", "mine.yaml, line 3: limit is given twice");
    fails(
        "runs:\n  - limit: 10/1s",
        "mine.yaml, line 2: peer is missing, expected one of " + Rule.FORMS);
    fails(
        "runs:\n  - limit: 10/1s\n    changes:\n      - at: 10s",
        "mine.yaml, line 4: a change has two keys: at (a duration) and limit");
  }
}
