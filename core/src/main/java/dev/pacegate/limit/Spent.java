package dev.pacegate.limit;

import java.time.InstantSource;

/** Makes meters that begin with all released that their promises allow at once. */
final class Spent {

  private Spent() {}

  static Meter meter(Limit limit, long now, InstantSource timeOfDay) {
    Meter meter = limit.newMeter(now, timeOfDay);
    for (Promise promise : limit.promises()) {
      long most = most(promise);
      if (most > 0) {
        Cost cost = cost(promise.of(), most);
        meter.release(now, now, cost);
        if (meter.tracks()) {
          meter.end(now, now, cost, Outcome.LOST);
        }
      }
    }
    return meter;
  }

  private static long most(Promise promise) {
    if (promise instanceof Promise.AtMost window) {
      return window.max();
    }
    if (promise instanceof Promise.PerWindow window) {
      return window.max();
    }
    if (promise instanceof Promise.Refilled bucket) {
      return bucket.burst();
    }
    if (promise instanceof Promise.PerCalendar window) {
      return window.max();
    }
    if (promise instanceof Promise.Open open) {
      return open.unansweredNanos() > 0 ? open.max() : 0; // what was open is not any more
    }
    return promise instanceof Promise.Gap ? 1 : 0;
  }

  private static Cost cost(Measure of, long amount) {
    if (of.name() != null) {
      return Cost.of(0).and(of.name(), amount);
    }
    return of.equals(Measure.PLAIN) ? Cost.of(amount) : Cost.sum(amount, 0);
  }
}
