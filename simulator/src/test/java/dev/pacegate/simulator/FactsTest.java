package dev.pacegate.simulator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.limit.Limits;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** No setting is hidden: what differs between two worlds is printed. */
class FactsTest {

  private static final Map<Setting, String> UNUSUAL =
      new EnumMap<>(
          Map.ofEntries(
              Map.entry(Setting.COUNTS, "completion"),
              Map.entry(Setting.REFUSES, "no"),
              Map.entry(Setting.CLOCK_OFFSET, "-300ms"),
              Map.entry(Setting.CLOCK_ERROR, "-0.05%"),
              Map.entry(Setting.CLOCK_GRAIN, "1ms"),
              Map.entry(Setting.DELAY, "5ms..20ms"),
              Map.entry(Setting.WORK, "100ms..2s"),
              Map.entry(Setting.BACK, "lognormal(50ms, p99=400ms)"),
              Map.entry(Setting.STALLS, "1% of 1s..4s"),
              Map.entry(Setting.LOST, "0.5%"),
              Map.entry(Setting.RESETS, "10%"),
              Map.entry(Setting.TIMEOUT, "400ms"),
              Map.entry(Setting.DEMAND, "bursts(40, every=5200ms)"),
              Map.entry(Setting.COST, "1..5"),
              Map.entry(Setting.PAUSES, "0.1% of 20ms"),
              Map.entry(Setting.LATE_TIMERS, "1ms")));

  private static Scenario world(Map<Setting, String> values) {
    var settings = new Settings();
    settings.set(Setting.PEER, "sliding(10/1s)");
    values.forEach(settings::set);
    return settings.scenario(Limits.parse("10/1s"));
  }

  /** They can be read again, so nothing is missing. */
  @Test
  void everySettingIsPrintedAsItIsWritten() {
    for (Setting setting : Setting.values()) {
      if (!List.of(Setting.PEER, Setting.SENDS, Setting.SEED).contains(setting)) {
        String value = UNUSUAL.getOrDefault(setting, "none is given here");
        List<String> facts = Facts.of(world(Map.of(setting, value)));
        assertTrue(facts.contains(setting.text() + ": " + value), () -> setting + ": " + facts);
      }
    }
    assertEquals(List.of("delay: 20ms..80ms"), Facts.of(world(Map.of())));
    assertEquals(UNUSUAL.size(), Facts.of(world(UNUSUAL)).size());
  }

  @Test
  void noTwoRunsOfAScenarioPrintAlike() {
    for (String name : Scenarios.names()) {
      var seen = new HashSet<String>();
      for (Study.Run run : Scenarios.named(name).runs()) {
        String head =
            Simulation.run(Worlds.shorter(run.scenario(), 50)).lines().stream()
                .takeWhile(line -> !line.startsWith("sent"))
                .collect(Collectors.joining("\n"));
        assertTrue(head.contains("world "), head);
        assertTrue(seen.add(head), () -> name + " has two like this:\n" + head);
      }
    }
  }
}
