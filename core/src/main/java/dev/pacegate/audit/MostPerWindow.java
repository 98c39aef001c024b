package dev.pacegate.audit;

import dev.pacegate.limit.Promise;
import dev.pacegate.time.Durations;
import java.math.BigInteger;
import java.util.TreeMap;

/**
 * Checks that at most {@code M (ceil(W / I) + 1)} started in any half-open interval W: from the
 * release at s to the one at t, {@code M (floor((t - s) / I) + 2)}.
 *
 * <p>It measures the most by which any stretch exceeds M for every whole I it lasts: 2 M is
 * allowed. So each beginning is moved forward by whole I until it lies within the last I, and M is
 * added to its base for each; then the excess is {@code released so far - base}.
 *
 * <p>Of two beginnings the earlier one is moved first, which adds M to its base. So the earlier is
 * dropped if its base is no lower, and the later if its base is higher by M or more. Among those
 * left the base rises with time, by less than M in all: the first has the lowest, one that is moved
 * becomes the last, and there are at most M.
 */
final class MostPerWindow implements PromiseCheck {

  /** The beginning of stretches. Base: what was released before, and M for each I it was moved. */
  private record Beginning(long from, BigInteger base) {}

  private final Promise.PerWindow promise;
  private final BigInteger max;
  private final TreeMap<Long, Beginning> beginnings = new TreeMap<>(); // by where they are moved to
  private BigInteger released = BigInteger.ZERO; // in all
  private Maximum most = Maximum.NONE;
  private long origin; // the first start: instants since then are in order

  MostPerWindow(Promise.PerWindow promise) {
    this.promise = promise;
    this.max = BigInteger.valueOf(promise.max());
  }

  @Override
  public void add(long start, long end, long amount) {
    if (amount == 0) {
      return;
    }
    if (beginnings.isEmpty()) {
      origin = start;
    }
    moveOn(start - origin);
    begin(start - origin, new Beginning(start, released));
    released = released.add(BigInteger.valueOf(amount));
    Beginning worst = beginnings.firstEntry().getValue();
    BigInteger excess = released.subtract(worst.base);
    BigInteger counted = excess.add(max.multiply(whole(start - worst.from)));
    most = most.or(excess, counted, worst.from, start);
  }

  private void moveOn(long now) {
    while (!beginnings.isEmpty() && now - beginnings.firstKey() >= promise.nanos()) {
      var first = beginnings.pollFirstEntry();
      long rest = (now - first.getKey()) % promise.nanos();
      BigInteger passed = max.multiply(whole(now - first.getKey()));
      Beginning old = first.getValue();
      beginnings.put(now - rest, new Beginning(old.from, old.base.add(passed)));
    }
  }

  private void begin(long now, Beginning next) {
    if (isCovered(now, next)) {
      return;
    }
    while (!beginnings.isEmpty()
        && beginnings.lastEntry().getValue().base.compareTo(next.base) >= 0) {
      beginnings.pollLastEntry();
    }
    beginnings.put(now, next);
  }

  private boolean isCovered(long now, Beginning next) {
    if (beginnings.isEmpty()) {
      return false;
    }
    BigInteger first = beginnings.firstEntry().getValue().base;
    var last = beginnings.lastEntry();
    return first.add(max).compareTo(next.base) <= 0
        || (last.getKey() == now && last.getValue().base.compareTo(next.base) <= 0);
  }

  private BigInteger whole(long nanos) {
    return BigInteger.valueOf(nanos / promise.nanos());
  }

  @Override
  public Verdict verdict() {
    boolean kept = most.value().compareTo(max.shiftLeft(1)) <= 0;
    long measured = Maximum.saturated(most.value());
    Stretch where = most.stretch();
    String whole = promise.max() + " per whole " + Durations.format(promise.nanos());
    String found =
        "most: " + measured + " beyond " + whole + ", by " + where.counted() + where.within();
    return new Verdict(promise, kept, measured, where, found, enough(measured));
  }

  /**
   * Returns a promise that would have held. Finding the smallest would need the whole log; half of
   * what was measured suffices: no stretch holds more than what was measured and M for each whole
   * I, and M is less than that half.
   */
  private Promise enough(long measured) {
    boolean beyond = measured == Long.MAX_VALUE;
    long half = beyond ? measured : measured / 2 + measured % 2;
    return new Promise.PerWindow(Math.max(promise.max(), half), promise.nanos(), promise.of());
  }
}
