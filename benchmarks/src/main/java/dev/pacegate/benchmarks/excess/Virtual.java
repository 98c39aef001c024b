package dev.pacegate.benchmarks.excess;

import dev.pacegate.benchmarks.Text;
import dev.pacegate.limit.Limits;
import dev.pacegate.simulator.Pacer;
import dev.pacegate.simulator.Setting;
import dev.pacegate.simulator.Settings;
import dev.pacegate.simulator.Simulation;
import dev.pacegate.simulator.SimulationResult;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/** The part in virtual time: the same worlds for every limiter whose clock can be replaced. */
final class Virtual {

  private final String sends;

  Virtual(boolean quick) {
    this.sends = quick ? "2000" : "100000";
  }

  void write(Text text) {
    text.lines(
        "",
        "## In virtual time",
        "",
        "Every limiter is set to 10 in a second; the peer counts 10 in any second, on arrival, and refuses what is more. The",
        "limiters run as they are, on the clock of the world; the worlds are the same for all, and the same in every run.",
        "*refused* is how many of "
            + sends
            + " requests the peer refuses, *fullest* what it was asked for in one second.");
    worlds().forEach((title, world) -> table(text, title, world, Pacers.all(), Pacers.PEER));
    estimates(text);
  }

  private void estimates(Text text) {
    Settings world = world("demand", "bursts(20, every=5s)", "delay", "20ms..80ms");
    world.set(Setting.PEER, "estimated(10/1s)");
    String title =
        "20 requests at once every 5 s, 20 to 80 ms on their way, to a peer that estimates";
    table(text, title, world, Pacers.forEstimates(), Pacers.ESTIMATED);
    text.lines(
        "",
        "This peer allows 10 in a second as well. It reads what its present second has counted, and what the second before counted",
        "times the share that the present one has still to run, as HAProxy and many gateways do. *fullest* is what it read. A window",
        "is not enough for it, [a bucket is](../guarantees.md#peerbucket51s-burst5-for-a-peer-that-allows-an-estimated-10-a-second).");
  }

  private Map<String, Settings> worlds() {
    var worlds = new LinkedHashMap<String, Settings>();
    worlds.put(
        "20 requests at once every 5 s, and no time lost on the way",
        world("demand", "bursts(20, every=5s)", "delay", "0s"));
    worlds.put(
        "8 requests a second at random, 20 to 80 ms on their way",
        world("demand", "random(8/1s)", "delay", "20ms..80ms"));
    worlds.put(
        "The same, one in a hundred stalls for 1 to 4 s, and the program gives up after 1 s",
        world("demand", "random(8/1s)", "delay", "20ms..80ms", "stalls", "1%", "timeout", "1s"));
    worlds.put(
        "Endless demand, 20 to 80 ms on their way",
        world("demand", "always", "delay", "20ms..80ms"));
    return worlds;
  }

  private Settings world(String... pairs) {
    var settings = new Settings();
    settings.set(Setting.PEER, "sliding(10/1s)");
    settings.set(Setting.SENDS, sends);
    for (int i = 0; i < pairs.length; i += 2) {
      settings.set(Setting.valueOf(pairs[i].toUpperCase(Locale.ROOT)), pairs[i + 1]);
    }
    return settings;
  }

  private static void table(
      Text text,
      String title,
      Settings world,
      Map<String, Pacer.Maker> pacers,
      String neverRefused) {
    text.lines("", "### " + title);
    text.numbers("", "refused", "fullest", "released per second", "half waited up to");
    pacers.forEach(
        (name, pacer) -> {
          var scenario = world.scenario(Limits.parse(neverRefused));
          SimulationResult outcome = Simulation.run(scenario, pacer);
          text.row(
              name,
              outcome.refused(),
              outcome.worst(),
              Text.format("%.2f", outcome.perNano() * 1e9),
              Text.format("%.0f ms", outcome.wait50() / 1e6));
          if (name.contains(neverRefused)) {
            text.expect(outcome.refused() == 0, name + " is refused: " + title);
          }
        });
  }
}
