package dev.pacegate.simulator;

import java.util.List;

/**
 * A question about limits that a simulation answers: the same world with several limits, and what
 * becomes of each.
 *
 * @param name a short name, such as {@code tick-skew}
 * @param question the question
 * @param runs the worlds
 * @param answer the answer
 */
public record Study(String name, String question, List<Run> runs, String answer) {

  /** Copies the list. */
  public Study {
    runs = List.copyOf(runs);
  }

  /** What is said of a run. */
  public enum Refused {
    /** The peer refuses none. */
    NONE,
    /** The peer refuses some. */
    SOME,
    /** Nothing is said. */
    ANY;

    /** Returns whether this is true of an outcome. */
    public boolean of(SimulationResult outcome) {
      return this == ANY || (this == NONE) == outcome.kept();
    }
  }

  /**
   * A world, and what is said of it.
   *
   * @param scenario the world
   * @param refused what is said of it
   */
  public record Run(Scenario scenario, Refused refused) {}
}
