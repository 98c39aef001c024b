package dev.pacegate.simulator;

import java.util.Locale;

/** The settings of a scenario, each with its meaning, default and form. */
public enum Setting {
  /** The peer's rule. */
  PEER("how the peer counts", "must be given", Rule.FORMS),
  /** The moment at which the peer counts. */
  COUNTS("when the peer counts a request", "arrival", "arrival, dispatch, completion"),
  /** Whether the peer refuses. */
  REFUSES("whether the peer refuses an excess request, or counts it as well", "yes", "yes, no"),
  /** The offset of the peer's clock. */
  CLOCK_OFFSET(
      "what the peer's clock shows at the start", "0s", "a duration, -200ms if it is behind"),
  /** The rate error of the peer's clock. */
  CLOCK_ERROR("how much too fast the peer's clock goes", "0%", "-10% to 10%"),
  /** The granularity of the peer's stamps. */
  CLOCK_GRAIN("the granularity of the peer's stamps", "1ns", "a duration"),
  /** The delay to the peer. */
  DELAY(
      "how long a request takes to the peer, and the answer back unless BACK is given",
      "20ms..80ms",
      Setting.DELAYS),
  /** The peer's working time. */
  WORK("how long the peer works on a request", "0s", Setting.DELAYS),
  /** The delay of the answer. */
  BACK("how long the answer takes", "as DELAY", Setting.DELAYS),
  /** Stalls. */
  STALLS("how many stall on their way, and for how long", "0%", "1% or 1% of 1s..4s"),
  /** Losses. */
  LOST("how many get lost, half of them before they are counted", "0%", "a share such as 0.5%"),
  /** Broken connections. */
  RESETS("of how many the connection breaks; they are counted", "0%", "a share such as 0.5%"),
  /** The client's time-out. */
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
  SENDS("how many requests are sent", "10000", "1 to 1000000000"),
  /** Seed. */
  SEED("the seed of everything random", "1", "a whole number");

  static final String DELAYS = "40ms, 20ms..80ms, lognormal(50ms, p99=400ms)";

  private final String meaning;
  private final String usual;
  private final String range;

  Setting(String meaning, String usual, String range) {
    this.meaning = meaning;
    this.usual = usual;
    this.range = range;
  }

  /** Returns its name as written: {@code late-timers}. */
  public String text() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** Returns what it means. */
  public String meaning() {
    return meaning;
  }

  /** Returns its default. */
  public String usual() {
    return usual;
  }

  /** Returns which values are allowed. */
  public String range() {
    return range;
  }
}
