package dev.pacegate.guava;

/**
 * Guava's two rate limiters from their formulas, in doubles and without the rounding to whole
 * microseconds. Passive: time is an argument, in nanoseconds from any origin.
 */
/*
 * Both keep permits that no request asked for (stored), and the instant from which the next request goes
 * (nextFree). A request never waits for its own size: it goes at nextFree, and pushes that back by its
 * price. Bursty: what is stored is free, up to so many seconds of it. Warming up: what is stored is
 * dearer than what is fresh, the more so the more there is of it:
 *
 *   price of one
 *      cold * interval |              /
 *                      |           /        the area right of the threshold is the warm-up time
 *             interval |--------/           the one left of it is half of that
 *                      |________|_____|____ stored permits
 *                      0    threshold  max
 */
final class GuavaModel {

  private static final double SECOND = 1e9;

  private final double burstSeconds; // bursty: so much is stored
  private final double warmUpNanos; // warming up, otherwise 0
  private final double cold;
  private double interval;
  private double max;
  private double threshold;
  private double slope;
  private double stored;
  private double nextFree;

  private GuavaModel(double burstSeconds, double warmUpNanos, double cold, double now) {
    this.burstSeconds = burstSeconds;
    this.warmUpNanos = warmUpNanos;
    this.cold = cold;
    this.nextFree = now;
  }

  /** Returns the limiter that stores permits for {@code burstSeconds}; Guava's own says 1. */
  static GuavaModel bursty(double perSecond, double burstSeconds, double now) {
    var model = new GuavaModel(burstSeconds, 0, 1, now);
    model.change(perSecond);
    return model;
  }

  /** Returns the limiter that warms up; it starts cold. */
  static GuavaModel warmingUp(double perSecond, double overNanos, double cold, double now) {
    var model = new GuavaModel(0, overNanos, cold, now);
    model.change(perSecond);
    model.stored = model.max;
    return model;
  }

  /** Sets the rate; what is owed keeps its price. */
  void setRate(double now, double perSecond) {
    resync(now);
    double oldMax = max;
    change(perSecond);
    if (Double.isInfinite(oldMax)) {
      stored = warmUpNanos > 0 ? 0 : max;
    } else {
      stored = oldMax == 0 ? 0 : stored * max / oldMax;
    }
  }

  private void change(double perSecond) {
    interval = SECOND / perSecond;
    if (warmUpNanos == 0) {
      max = burstSeconds * perSecond;
      return;
    }
    threshold = warmUpNanos / interval / 2;
    max = threshold + 2 * warmUpNanos / (interval * (1 + cold));
    slope = interval * (cold - 1) / (max - threshold);
  }

  /** Lets {@code permits} go as soon as they may; returns how long that takes, in nanoseconds. */
  double acquire(double now, double permits) {
    resync(now);
    double wait = Math.max(0, nextFree - now);
    double fromStore = Math.min(permits, stored);
    double price = priceOfStored(fromStore) + (permits - fromStore) * interval;
    nextFree += zeroIfNone(price);
    stored -= fromStore;
    return wait;
  }

  /** Returns whether a request of any size would be let through within {@code timeout}. */
  boolean goesWithin(double now, double timeout) {
    return nextFree - timeout <= now;
  }

  /** Returns the instant from which the next request goes. */
  double nextFree() {
    return nextFree;
  }

  /** Returns what the next bit of a permit costs per permit, as if it came at {@code nextFree}. */
  double presentInterval() {
    return interval + Math.max(0, zeroIfNone((stored - threshold) * slope));
  }

  /** Returns the permits in store. */
  double stored() {
    return stored;
  }

  private void resync(double now) {
    if (now > nextFree) {
      double coolDown = warmUpNanos == 0 ? interval : warmUpNanos / max;
      stored = Math.min(max, stored + (now - nextFree) / coolDown);
      nextFree = now;
    }
  }

  private double priceOfStored(double permits) {
    if (warmUpNanos == 0) {
      return 0;
    }
    double above = stored - threshold;
    double dear = above > 0 ? Math.min(above, permits) : 0;
    double trapezoid = dear * (interval + (above - dear / 2) * slope);
    return (dear > 0 ? trapezoid : 0) + (permits - dear) * interval;
  }

  /** At an infinite rate nothing has a price; a cast to long takes care of that in Guava. */
  private static double zeroIfNone(double price) {
    return Double.isNaN(price) ? 0 : price;
  }
}
