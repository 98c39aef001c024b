package dev.pacegate.audit;

import dev.pacegate.limit.Promise;

/**
 * One promise under audit. Starts come in order, ends in any; every instant lies within 292 years
 * after the first start, and no end before its start: {@link Audit} sees to that. So instants are
 * compared by subtraction, wherever the clock has its origin.
 */
interface Question {

  /**
   * Takes in that {@code amount}, 0 or more, was released at {@code start} and over at {@code end}.
   */
  void add(long start, long end, long amount);

  /** Returns the verdict so far; changes nothing. */
  Verdict verdict();

  /** Returns the question whether {@code promise} was kept. */
  static Question of(Promise promise) {
    if (promise instanceof Promise.AtMost p) {
      check("interval", 1, p.nanos());
      check("max", 0, p.max());
      return p.countsWhole() ? new MostOpenInAny(p) : new MostInAny(p);
    }
    if (promise instanceof Promise.PerWindow p) {
      check("window", 1, p.nanos());
      check("max", 0, p.max());
      return new OwnWindows(p);
    }
    if (promise instanceof Promise.PerCalendar p) {
      check("max", 0, p.max());
      check("margin", 0, p.marginNanos());
      return new MostInCalendar(p);
    }
    if (promise instanceof Promise.Refilled p) {
      check("burst", 0, p.burst());
      check("slack", 0, p.slackNanos());
      return p.countsWhole() ? new OpenBurst(p) : new Burst(p);
    }
    if (promise instanceof Promise.Gap p) {
      return new SmallestGap(p);
    }
    if (promise instanceof Promise.Open p) {
      check("max", 0, p.max());
      return new MostOpen(p);
    }
    throw new IllegalArgumentException("no question for this promise: " + promise.text());
  }

  /** Returns whether {@code promise} is about whole requests, not only about their starts. */
  static boolean needsEnds(Promise promise) {
    return promise instanceof Promise.Open || promise.countsWhole();
  }

  private static void check(String what, long least, long value) {
    if (value < least) {
      throw new IllegalArgumentException(what + " must be at least " + least + ": " + value);
    }
  }
}
