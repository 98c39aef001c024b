package dev.pacegate.simulator;

import java.util.Locale;

/**
 * What may be said of a scenario, each with its meaning, what holds unless it is said, and a form.
 */
public enum Setting {
  /** How the peer counts. */
  PEER("how the peer counts", "must be given", Rule.FORMS),
  /** When the peer counts. */
  COUNTS("when the peer counts a request", "arrival", "arrival, dispatch, completion"),
  /** Whether it refuses. */
  REFUSES("whether the peer refuses what is too much, or counts it all the same", "yes", "yes, no"),
  /** The clock's offset. */
  CLOCK_OFFSET(
      "what the peer's clock shows at the start", "0s", "a duration, -200ms if it is behind"),
  /** The clock's error. */
  CLOCK_ERROR("how much too fast the peer's clock goes", "0%", "-10% to 10%"),
  /** The clock's stamps. */
  CLOCK_GRAIN("how coarse the peer's stamps are", "1ns", "a duration"),
  /** The ways. */
  DELAY(
      "how long the way there is, and the way back unless BACK says", "20ms..80ms", Setting.DELAYS),
  /** The work. */
  WORK("how long the peer works on a request", "0s", Setting.DELAYS),
  /** The way back. */
  BACK("how long the way back is", "as DELAY", Setting.DELAYS),
  /** Stalls. */
  STALLS("how many stall on their way, and for how long", "0%", "1% or 1% of 1s..4s"),
  /** Losses. */
  LOST("how many get lost, half of them before they are counted", "0%", "a share such as 0.5%"),
  /** Broken connections. */
  RESETS("of how many the connection breaks; they are counted", "0%", "a share such as 0.5%"),
  /** The client's patience. */
  TIMEOUT("how long the program waits for an answer", "30s", "a duration"),
  /** Demand. */
  DEMAND("when requests come up", "always", Demand.FORMS),
  /** Costs. */
  COST("what a request costs", "1", "5 or 1..5"),
  /** Pauses. */
  PAUSES(
      "after how many releases the program stands still, and for how long",
      "0%",
      "0.1% or 0.1% of 1s..4s"),
  /** Timers. */
  LATE_TIMERS("how late the program's timers are", "0s", Setting.DELAYS),
  /** Sends. */
  SENDS("how many requests there are", "10000", "1 to 1000000000"),
  /** Seed. */
  SEED("what everything random is made of", "1", "a whole number");

  static final String DELAYS = "40ms, 20ms..80ms, lognormal(50ms, p99=400ms)";

  private final String meaning;
  private final String usual;
  private final String range;

  Setting(String meaning, String usual, String range) {
    this.meaning = meaning;
    this.usual = usual;
    this.range = range;
  }

  /** Returns the key as it is written: {@code late-timers}. */
  public String text() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** Returns what it means. */
  public String meaning() {
    return meaning;
  }

  /** Returns what holds if it is not given. */
  public String usual() {
    return usual;
  }

  /** Returns what may be given. */
  public String range() {
    return range;
  }
}
