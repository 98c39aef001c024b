package dev.pacegate.engine;

import dev.pacegate.limit.Cost;
import dev.pacegate.limit.Limit;
import dev.pacegate.limit.Promise;
import dev.pacegate.limit.spi.FedMeter;
import dev.pacegate.limit.spi.Meter;
import java.util.function.LongConsumer;

/**
 * Refuses a limit whose meter contradicts the limit's promises. Without this check the error would
 * go unnoticed: a meter that is not told of ends lets more through than a promise of whole requests
 * allows.
 */
// Not a lambda: that would load one more class.
public final class LimitCheck implements LongConsumer {

  private int told;

  private LimitCheck() {}

  /**
   * Returns a meter of {@code limit}, to inspect.
   *
   * @throws IllegalArgumentException if it does not count what the limit promises
   */
  public static Meter sample(Limit limit) {
    Meter meter = limit.newMeter(0);
    for (Meter leaf : meter.leaves()) {
      if (leaf instanceof FedMeter) {
        throw new IllegalArgumentException(
            limit + " makes meters that a source must feed: see Limiter.Builder.source");
      }
    }
    check(limit, meter);
    return meter;
  }

  /**
   * Checks {@code meter}, which is to count what {@code limit} promises.
   *
   * @throws IllegalArgumentException if it does not
   */
  public static void check(Limit limit, Meter meter) {
    int promises = 0;
    for (Promise promise : limit.promises()) {
      promises++;
      if (!counts(meter, promise)) {
        throw new IllegalArgumentException(
            limit
                + " promises \""
                + promise.text()
                + "\", but no meter of it counts "
                + promise.of()
                + (promise.countsWhole() ? " until requests end" : "")
                + ": see Meter.measure() and Meter.tracks()");
      }
    }
    var most = new LimitCheck();
    meter.most(most);
    if (most.told != promises) {
      throw new IllegalArgumentException(
          limit + " makes " + promises + " promises, but Meter.most() reports " + most.told);
    }
  }

  /**
   * Returns whether {@code cost} passes under {@code limit} only after it has been the first that
   * waits. Uses a fresh meter: questions about the future must not age the real one.
   */
  static boolean needsQueue(Limit limit, Cost cost) {
    if (cost.equals(Cost.ONE) || !exceedsAPromise(limit, cost)) {
      return false;
    }
    Meter fresh = limit.newMeter(0);
    long wait = fresh.nanosUntil(0, 0, cost);
    return wait > 0
        && wait < Meter.LONGEST
        && fresh.nanosUntil(0, wait, cost) == 0
        && fresh.nanosUntil(wait, wait, cost) > 0;
  }

  /** Returns whether {@code cost} is more than some promise allows at once. */
  private static boolean exceedsAPromise(Limit limit, Cost cost) {
    for (Promise promise : limit.promises()) {
      if (promise.of().of(cost) > promise.atOnce()) {
        return true;
      }
    }
    return false;
  }

  @Override
  public void accept(long most) {
    told++;
  }

  private static boolean counts(Meter meter, Promise promise) {
    for (Meter leaf : meter.leaves()) {
      if (leaf.measure().equals(promise.of()) && (leaf.tracks() || !promise.countsWhole())) {
        return true;
      }
    }
    return false;
  }
}
