package dev.pacegate.simulator.estimate;

/**
 * A window that may be the present one of a peer which estimates.
 *
 * @param from its beginning
 * @param before what was counted before it in all, modulo 2^64
 * @param last what was counted in the window before it
 * @param first the first instant at which any of that was counted, or its beginning
 */
record EstimateWindow(long from, long before, long last, long first) {

  /** Returns the estimate times {@code nanos}, if {@code total} was counted in all. */
  Wide estimate(long nanos, long total, long now) {
    Wide present = Wide.product(total - before, nanos);
    return present.plus(Wide.product(last, nanos - (now - from)));
  }

  /**
   * Returns whether this one, the later, is never less than {@code old} until that runs out: it is
   * not now and not then, and in between both fall evenly.
   */
  boolean exceeds(EstimateWindow old, long nanos, long now) {
    long between = from - old.from;
    if (between >= nanos) {
      return true;
    }
    Wide then = Wide.product(before - old.before, nanos);
    return then.compareTo(Wide.product(last, between)) <= 0
        && estimate(nanos, before, now).compareTo(old.estimate(nanos, before, now)) >= 0;
  }
}
