package dev.pacegate.simulator;

/** Runs scenarios. */
public final class Simulation {

  private Simulation() {}

  /**
   * Runs a scenario with a real limiter.
   *
   * @throws IllegalStateException if some request can never be released
   */
  public static SimulationResult run(Scenario scenario) {
    return run(scenario, time -> Pacer.of(scenario.limit(), time));
  }

  /** As {@link #run(Scenario)}, with another pacer in place of the limiter. */
  public static SimulationResult run(Scenario scenario, Pacer.Maker maker) {
    return new World(scenario, maker).run();
  }
}
