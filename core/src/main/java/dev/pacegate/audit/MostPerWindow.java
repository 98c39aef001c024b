package dev.pacegate.audit;

import dev.pacegate.limit.Promise;
import dev.pacegate.time.Durations;
import java.util.Map;
import java.util.TreeMap;

/**
 * Whether at most {@code M (ceil(W / I) + 1)} started in any half-open interval W: from the release
 * at s to the one at t, {@code M (floor((t - s) / I) + 2)}.
 *
 * <p>What is measured is the most by which any stretch exceeds M for every whole I it lasts: 2 M is
 * allowed. Instants are taken apart into whole intervals and a rest, {@code t = q I + r}, so that a
 * stretch lasts {@code q_t - q_s} of them, and one less if {@code r_s > r_t}. With {@code v_s} what
 * was released before s, less {@code M q_s}, the excess up to t is
 *
 * <pre>{@code released by t - M q_t - min(v_s where r_s <= r_t, v_s - M where r_s > r_t)}</pre>
 *
 * <p>A beginning whose value is never below that of another, whatever r_t is, is dropped. Of those
 * that are left v rises with r, by less than M in all; so two of them tell the least, and there are
 * at most M.
 *
 * <p>Sums of hostile amounts, and M times the number of intervals, need more than 64 bits: at most
 * 2^63 amounts of 2^63 and 2^63 * 2^63, which is well within a {@link Int128}.
 */
final class MostPerWindow implements PromiseCheck {

  /** Where stretches may begin: at {@code from}, before which {@code value} beyond M per I. */
  private record Beginning(long from, Int128 value) {}

  private final Promise.PerWindow promise;
  private final TreeMap<Long, Beginning> beginnings = new TreeMap<>(); // by r; v rises
  private final Int128 sum = new Int128(); // of all amounts
  private final Int128 scratch = new Int128();
  private final Int128 excess = new Int128();
  private final Maximum most = new Maximum();
  private boolean started;
  private long origin;

  MostPerWindow(Promise.PerWindow promise) {
    this.promise = promise;
  }

  @Override
  public void add(long start, long end, long amount) {
    if (amount == 0) {
      return;
    }
    if (!started) {
      started = true;
      origin = start;
    }
    long whole = (start - origin) / promise.nanos();
    long rest = (start - origin) % promise.nanos();
    begin(start, rest, whole);
    sum.add(amount);
    judge(start, rest, whole);
  }

  private void begin(long start, long rest, long whole) {
    var value = new Int128();
    value.set(sum);
    value.subtractProduct(promise.max(), whole);
    if (isCovered(rest, value)) {
      return;
    }
    for (var e = beginnings.floorEntry(rest);
        e != null && isAtMost(value, 0, e);
        e = beginnings.floorEntry(rest)) {
      beginnings.remove(e.getKey());
    }
    for (var e = beginnings.lastEntry();
        e != null && e.getKey() > rest && isAtMost(value, promise.max(), e);
        e = beginnings.lastEntry()) {
      beginnings.remove(e.getKey());
    }
    beginnings.put(rest, new Beginning(start, value));
  }

  private boolean isCovered(long rest, Int128 value) {
    var later = beginnings.ceilingEntry(rest);
    if (later != null && later.getValue().value.compareTo(value) <= 0) {
      return true;
    }
    var first = beginnings.firstEntry();
    if (first == null || first.getKey() >= rest) {
      return false;
    }
    scratch.set(first.getValue().value);
    scratch.add(promise.max());
    return scratch.compareTo(value) <= 0;
  }

  /** Returns whether {@code value} and {@code more} is at most the value of a beginning. */
  private boolean isAtMost(Int128 value, long more, Map.Entry<Long, Beginning> beginning) {
    scratch.set(value);
    scratch.add(more);
    return scratch.compareTo(beginning.getValue().value) <= 0;
  }

  private void judge(long start, long rest, long whole) {
    var later = beginnings.higherEntry(rest);
    Beginning worst = (later == null ? beginnings.firstEntry() : later).getValue();
    excess.set(sum);
    excess.subtractProduct(promise.max(), whole);
    excess.subtract(worst.value);
    if (later != null) {
      excess.add(promise.max());
    }
    scratch.set(excess);
    scratch.addProduct(promise.max(), (start - worst.from) / promise.nanos());
    most.offer(excess, scratch.saturated(), worst.from, start);
  }

  @Override
  public Verdict verdict() {
    var allowed = new Int128();
    allowed.addProduct(2, promise.max());
    boolean kept = most.value().compareTo(allowed) <= 0;
    long measured = most.value().saturated();
    return new Verdict(promise, kept, measured, most.stretch(), found(measured), enough(measured));
  }

  private String found(long measured) {
    Stretch where = most.stretch();
    String whole = promise.max() + " per whole " + Durations.format(promise.nanos());
    return "most: " + measured + " beyond " + whole + ", by " + where.counted() + where.within();
  }

  /**
   * Returns a promise that would have held. The smallest cannot be told without remembering the
   * whole log; half of what was measured is enough: no stretch holds more than what was measured
   * and M for each whole I, and M is less than that half.
   */
  private Promise enough(long measured) {
    boolean beyond = measured == Long.MAX_VALUE;
    long half = beyond ? measured : measured / 2 + measured % 2;
    return new Promise.PerWindow(Math.max(promise.max(), half), promise.nanos(), promise.of());
  }
}
