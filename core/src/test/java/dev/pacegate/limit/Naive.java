package dev.pacegate.limit;

import static java.util.stream.Collectors.toList;

import java.math.BigInteger;

/**
 * What a meter must answer, worked out in the plainest way: from a list of all that has happened,
 * anew for every question, in numbers that cannot overflow. Instants count from 0.
 */
interface Naive {

  long wait(long since, long now, Cost cost);

  void release(long since, long now, Cost cost);

  default void end(long startedAt, long now, Cost cost, Outcome end) {}

  /** The request is sent only now, and known by that instant from here on. */
  default void sent(long startedAt, long now, Cost cost) {}

  /** Returns the longest wait that a meter may answer, as it need not remember everything. */
  default long longestWait(long since, long now, Cost cost) {
    return wait(since, now, cost);
  }

  /** Returns the model of {@code limit}; of a bucket as the peer counts there is none. */
  static Naive of(Limit limit) {
    if (limit instanceof Starts starts) {
      return of(starts.limit());
    }
    if (limit instanceof Window window) {
      return new NaiveWindow(window.rate(), window.of());
    }
    if (limit instanceof Spacing spacing) {
      return new NaiveWindow(new Rate(1, spacing.gapNanos()), Measure.CALLS);
    }
    if (limit instanceof Bucket bucket) {
      return new NaiveBucket(bucket);
    }
    if (limit instanceof Warmup warmup) {
      return new NaiveWarmup(warmup);
    }
    if (limit instanceof Fixed fixed) {
      return new NaiveTimer(fixed);
    }
    if (limit instanceof Concurrent concurrent) {
      return new NaiveCount(concurrent);
    }
    if (limit instanceof Unlimited) {
      return new NaiveCount(new Concurrent(Long.MAX_VALUE));
    }
    if (limit instanceof Aligned aligned) {
      return new NaiveCalendar(aligned);
    }
    if (limit instanceof All all) {
      return new NaiveSeveral(all.terms().stream().map(Naive::of).collect(toList()));
    }
    var peer = (Peer) limit;
    long unanswered = peer.unansweredNanos();
    if (peer.counted()) {
      var rate = peer.limit() instanceof Window w ? w.rate() : gap(peer);
      var of = peer.limit() instanceof Window w ? w.of() : Measure.CALLS;
      return new NaiveCountedWindow(lengthened(rate, peer), of, unanswered);
    }
    if (peer.limit() instanceof Window window) {
      return new NaiveWindow(lengthened(window.rate(), peer), window.of(), true, unanswered);
    }
    return new NaiveWindow(lengthened(gap(peer), peer), Measure.CALLS, true, unanswered);
  }

  private static Rate gap(Peer peer) {
    return new Rate(1, ((Spacing) peer.limit()).gapNanos());
  }

  private static Rate lengthened(Rate rate, Peer peer) {
    BigInteger million = BigInteger.valueOf(1_000_000);
    BigInteger share =
        BigInteger.valueOf(rate.nanos())
            .multiply(BigInteger.valueOf(peer.margin().millionths()))
            .add(million.subtract(BigInteger.ONE))
            .divide(million);
    return new Rate(rate.permits(), rate.nanos() + share.longValueExact() + peer.margin().nanos());
  }
}
