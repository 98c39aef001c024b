package dev.pacegate.simulator;

import dev.pacegate.limit.Limits;

/** Scenarios for tests, as text. */
final class Worlds {

  static final long SEED = Long.getLong("pacegate.seed", 20_261_120);

  private Worlds() {}

  /** Returns a scenario; what it says goes by pairs such as {@code "stalls", "1%"}. */
  static Scenario world(String limit, String peer, String... pairs) {
    var settings = new Settings();
    settings.set(Setting.SEED, String.valueOf(SEED));
    settings.set(Setting.PEER, peer);
    for (int i = 0; i < pairs.length; i += 2) {
      settings.set(setting(pairs[i]), pairs[i + 1]);
    }
    return settings.scenario(Limits.parse(limit));
  }

  static SimulationResult run(String limit, String peer, String... pairs) {
    return Simulation.run(world(limit, peer, pairs));
  }

  /** Returns the same world with fewer requests. */
  static Scenario shorter(Scenario world, long sends) {
    return new Scenario(
        world.limit(), world.client(), world.network(), world.peer(), sends, world.seed());
  }

  private static Setting setting(String key) {
    for (Setting setting : Setting.values()) {
      if (setting.text().equals(key)) {
        return setting;
      }
    }
    throw new IllegalArgumentException(key);
  }
}
