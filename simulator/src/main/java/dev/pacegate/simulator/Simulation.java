package dev.pacegate.simulator;

/** Runs scenarios. */
public final class Simulation {

  private Simulation() {}

  /**
   * Lets a scenario happen, with a real limiter.
   *
   * @throws IllegalStateException if some request can never be released
   */
  public static SimulationResult run(Scenario scenario) {
    return run(scenario, time -> Door.of(scenario.limit(), time));
  }

  /** As {@link #run(Scenario)}, with another door in place of the limiter. */
  public static SimulationResult run(Scenario scenario, Door.Maker maker) {
    return new World(scenario, maker).run();
  }
}
