package dev.pacegate.limit;

import java.time.InstantSource;

/** Makes meters that begin with all released and lost that their promises allow at once. */
final class Spent {

  private Spent() {}

  static Meter meter(Limit limit, long now, InstantSource timeOfDay) {
    Meter meter = limit.newMeter(now, timeOfDay);
    for (Promise promise : limit.promises()) {
      if (promise.atOnce() > 0) {
        Cost cost = promise.of().cost(promise.atOnce());
        meter.release(now, now, cost);
        if (meter.tracks()) {
          meter.end(now, now, cost, Outcome.LOST);
        }
      }
    }
    return meter;
  }
}
