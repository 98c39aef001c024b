package dev.pacegate.simulator;

import java.util.List;

/**
 * A question about limits that a simulation answers: the same world with several limits, and the
 * result of each.
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

  /** The claim about a run. */
  public enum Refused {
    /** The peer refuses none. */
    NONE,
    /** The peer refuses some. */
    SOME,
    /** There is no claim. */
    ANY;

    /** Returns whether the claim holds for an outcome. */
    public boolean of(SimulationResult outcome) {
      return this == ANY || (this == NONE) == outcome.kept();
    }
  }

  /**
   * A world with a claim about it.
   *
   * @param scenario the world
   * @param refused the claim
   */
  public record Run(Scenario scenario, Refused refused) {}
}
