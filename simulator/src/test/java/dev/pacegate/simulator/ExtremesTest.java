package dev.pacegate.simulator;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.limit.Limits;
import java.io.StringReader;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.TimeZone;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.xml.sax.InputSource;

/** Values that no user means, and some that a user may: an error with the key, or a run. */
class ExtremesTest {

  private static final List<String> VALUES =
      List.of(
          "",
          " ",
          "x",
          "-1",
          "0",
          "1",
          "2..1",
          "1..",
          "..1",
          "1..2..3",
          "1e3",
          "+5",
          "٣",
          "999999999999999999",
          "9999999999999999999999",
          "-999999999999999999",
          "1..999999999999999999",
          "0s",
          "-1s",
          "1ns",
          "1h",
          "36500d",
          "1000000d",
          "1h..1s",
          "0s..1h",
          "1s..",
          "%",
          "0%",
          "100%",
          "101%",
          "-10%",
          "10%",
          "0.00001%",
          "100% of 0s",
          "1% of",
          "100% of 1h",
          "of 1s",
          "1% of 1s of 1s",
          "yes",
          "YES",
          "always",
          "loop(0)",
          "loop(1000000000)",
          "loop(-1)",
          "even(1/36500d)",
          "even(1000000000/1s)",
          "even(1/0s)",
          "random(1/36500d)",
          "random(1000000000/1s)",
          "bursts(1000000000, every=1ns)",
          "bursts(3, every=36500d)",
          "bursts(3)",
          "lognormal(1ns, p99=2ns)",
          "lognormal(36s, p99=1h)",
          "lognormal(1s)",
          "lognormal(1h, p99=1s)",
          "fixed(1/1ns)",
          "fixed(1/36500d)",
          "sliding(1000000000/1s)",
          "sliding(1/36500d)",
          "aligned(7/3ns)",
          "bucket(1/36500d, burst=1)",
          "bucket(1/36500d, burst=999999999999999999)",
          "bucket(1000000000/1s, burst=999999999999999999)",
          "gcra(1/36500d, burst=1)",
          "gcra(1000000000/1s, burst=999999999999999999)",
          "gcra(3/1s)",
          "spacing(1ns)",
          "spacing(36500d)",
          "concurrent(1)",
          "concurrent(999999999999999999)",
          "arrival",
          "completion",
          "sometimes");

  @TestFactory
  Stream<DynamicTest> everyValueIsAnErrorWithItsKeyOrARun() {
    return Stream.of(Setting.values())
        .map(setting -> DynamicTest.dynamicTest(setting.text(), () -> tryAll(setting)));
  }

  private static void tryAll(Setting setting) {
    var problems = new ArrayList<String>();
    for (String value : VALUES) {
      for (String limit : List.of("10/1s", "peer(10/1s, unanswered=5s)")) {
        try {
          assertTimeoutPreemptively(Duration.ofMinutes(2), () -> tryOne(limit, setting, value));
        } catch (Throwable e) {
          problems.add("\"" + value + "\" with " + limit + ": " + e);
        }
      }
    }
    assertTrue(problems.isEmpty(), () -> String.join("\n", problems));
  }

  private static void tryOne(String limit, Setting setting, String value) throws Exception {
    var settings = new Settings();
    settings.set(Setting.PEER, "sliding(10/1s)");
    settings.set(Setting.SENDS, "50");
    Scenario scenario;
    try {
      settings.set(setting, value);
      scenario = settings.scenario(Limits.parse(limit));
    } catch (IllegalArgumentException e) {
      assertTrue(String.valueOf(e.getMessage()).startsWith(setting.text() + ": "), e::getMessage);
      return;
    }
    SimulationResult outcome;
    try {
      outcome = Simulation.run(scenario);
    } catch (IllegalStateException e) {
      String message = String.valueOf(e.getMessage());
      assertTrue(message.startsWith("only ") || message.endsWith("292 years"), message);
      return;
    }
    String text = String.join("\n", outcome.lines());
    if (setting != Setting.SENDS || outcome.sends() < 1000) {
      String svg = Timeline.svg(outcome);
      assertFalse(svg.contains("NaN") || svg.contains("nfinity"), svg);
      assertTrue(svg.length() < 500_000, () -> "letters: " + svg.length());
      assertDoesNotThrow(
          () ->
              DocumentBuilderFactory.newInstance()
                  .newDocumentBuilder()
                  .parse(new InputSource(new StringReader(svg))));
    }
    assertFalse(text.contains("nfinity"), text);
  }

  /** Neither the language nor the place of the machine is seen in anything. */
  @Test
  void isTheSameEverywhere() {
    Locale locale = Locale.getDefault();
    TimeZone zone = TimeZone.getDefault();
    try {
      Locale.setDefault(Locale.ROOT);
      List<String> texts = texts();
      Locale.setDefault(Locale.forLanguageTag("ar-EG"));
      TimeZone.setDefault(TimeZone.getTimeZone("Pacific/Kiritimati"));
      assertEquals("٧", String.format("%d", 7), "the digits of the place");
      assertEquals(texts, texts());
    } finally {
      Locale.setDefault(locale);
      TimeZone.setDefault(zone);
    }
  }

  private static List<String> texts() {
    var texts = new ArrayList<String>();
    String limit = "peer(bucket(10/1s, burst=3), margin=0.25%+2ms)";
    for (String peer : List.of("bucket(10/1s, burst=3)", "fixed(7/1s)", "concurrent(2)")) {
      SimulationResult outcome = Worlds.run(limit, peer, "sends", "200", "stalls", "3%");
      texts.addAll(outcome.lines());
      texts.add(Timeline.svg(outcome));
    }
    return texts;
  }
}
