package dev.pacegate.audit;

import dev.pacegate.limit.Promise;
import java.math.BigInteger;
import java.util.ArrayDeque;
import java.util.PriorityQueue;
import java.util.Queue;
import java.util.function.LongFunction;

/**
 * Checks that at most M was open at some moment of any half-open interval of length I, and measures
 * the most that was.
 *
 * <p>[t, t + I) counts what started before t + I and did not end before t. Let s be the last start
 * among what counts: the rest started no later and ended after s - I, so looking back from each
 * start finds it all; and the interval from the earliest of their ends, or from s if that is
 * earlier, holds it all. A request that ended I before the last start counts no more, and is
 * dropped.
 *
 * <p>If only starts count, each request ends at its start. The most open at any instant is the most
 * in an interval of length zero: an end at an instant makes room for a start at the same instant; a
 * request that ends at its own start was open for that instant, as the last one that came.
 */
final class MostInAny implements PromiseCheck {

  private final Promise promise;
  private final long max;
  private final long nanos;
  private final String what;
  private final LongFunction<Promise> atMost;
  private final Queue<End> counting; // the earliest end first
  private BigInteger sum = BigInteger.ZERO; // of the costs whose ends are remembered
  private Maximum most = Maximum.NONE;

  private MostInAny(
      Promise promise, long max, long nanos, String what, LongFunction<Promise> atMost) {
    this.promise = promise;
    this.max = max;
    this.nanos = nanos;
    this.what = what;
    this.atMost = atMost;
    this.counting = promise.countsWhole() ? new PriorityQueue<>() : new ArrayDeque<>();
  }

  static MostInAny of(Promise.AtMost p) {
    return new MostInAny(
        p,
        p.max(),
        p.nanos(),
        "most: ",
        most -> new Promise.AtMost(most, p.nanos(), p.of(), p.countsWhole()));
  }

  static MostInAny of(Promise.Open p) {
    return new MostInAny(
        p, p.max(), 0, "most open: ", most -> new Promise.Open(most, p.of(), p.unansweredNanos()));
  }

  @Override
  public void add(long start, long end, long amount) {
    if (amount == 0) {
      return;
    }
    while (!counting.isEmpty() && start - counting.element().instant() >= nanos) {
      sum = sum.subtract(BigInteger.valueOf(counting.remove().cost()));
    }
    counting.add(new End(promise.countsWhole() ? end : start, amount));
    sum = sum.add(BigInteger.valueOf(amount));
    long first = counting.element().instant();
    most = most.or(sum, sum, first - start < 0 ? first : start, start);
  }

  @Override
  public Verdict verdict() {
    boolean kept = most.value().compareTo(BigInteger.valueOf(max)) <= 0;
    long measured = Maximum.saturated(most.value());
    String found = what + measured + most.stretch().within();
    return new Verdict(promise, kept, measured, most.stretch(), found, atMost.apply(measured));
  }
}
