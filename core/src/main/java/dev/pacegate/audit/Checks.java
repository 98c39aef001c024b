package dev.pacegate.audit;

import dev.pacegate.limit.Promise;

/** Selects the check for each kind of promise. */
final class Checks {

  private Checks() {}

  /**
   * Returns a check of {@code promise}.
   *
   * @throws IllegalArgumentException if none is known, or its numbers are out of range
   */
  static PromiseCheck of(Promise promise) {
    if (promise instanceof Promise.AtMost p) {
      check("interval", 1, p.nanos());
      check("max", 0, p.max());
      return MostInAny.of(p);
    }
    if (promise instanceof Promise.PerWindow p) {
      check("window", 1, p.nanos());
      check("max", 0, p.max());
      return new MostPerWindow(p);
    }
    if (promise instanceof Promise.PerCalendar p) {
      check("max", 0, p.max());
      check("margin", 0, p.marginNanos());
      return new MostInCalendar(p);
    }
    if (promise instanceof Promise.Refilled p) {
      check("burst", 0, p.burst());
      check("slack", 0, p.slackNanos());
      return new Burst(p);
    }
    if (promise instanceof Promise.Gap p) {
      return new SmallestGap(p);
    }
    if (promise instanceof Promise.Open p) {
      check("max", 0, p.max());
      return MostInAny.of(p);
    }
    if (promise instanceof Promise.Counted p) {
      check("counted", 0, p.nanos());
      return new CountedCheck(p);
    }
    if (promise instanceof Auditable p) {
      return p.newCheck();
    }
    throw new IllegalArgumentException(
        "no check is known for promises of "
            + promise.getClass().getName()
            + " because it does not implement Auditable: "
            + promise.text());
  }

  private static void check(String what, long least, long value) {
    if (value < least) {
      throw new IllegalArgumentException(what + " must be at least " + least + ": " + value);
    }
  }
}
