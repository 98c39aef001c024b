package dev.pacegate.limit;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.math.BigInteger;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;

/** Changes of a limit to play, and how to judge what went through. */
final class Successions {

  static final int CASES = 750;
  static final long SECOND = 1_000_000_000;
  static final long MINUTE = 60 * SECOND;
  static final long UNANSWERED = 20 * SECOND;
  static final long[] ORIGINS = {Long.MIN_VALUE, -1, 0, Long.MAX_VALUE - 5};

  static final List<String> KINDS =
      List.of(
          "10/1m",
          "2/1s",
          "5/10s",
          "8/1s",
          "bucket(1/1s, burst=10)",
          "bucket(10/1s, burst=4)",
          "bucket(1/10s, burst=2)",
          "bucket(2/1s, burst=2, slack=3s)",
          "bucket(2/1s, burst=4, pay=later, debt=3)",
          "warmup(3/1s, over=2s)",
          "warmup(1/2s, over=10s, cold=2)",
          "fixed(3/1s)",
          "fixed(8/10s)",
          "fixed(1/7s)",
          "spacing(1s)",
          "spacing(100ms)");

  static final List<String> PEERS =
      List.of(
          "peer(10/1m, unanswered=20s)",
          "peer(3/10s, unanswered=20s)",
          "peer(1/1s, unanswered=20s)",
          "peer(20/1m, unanswered=20s, margin=0s)");

  static final List<String> PEERS_BUCKETS =
      List.of(
          "peer(bucket(1/1s, burst=10, initial=full), unanswered=20s)",
          "peer(bucket(10/1m, burst=3), unanswered=20s)");

  private Successions() {}

  static long origin(SplittableRandom random) {
    return ORIGINS[random.nextInt(ORIGINS.length)];
  }

  static Limit any(SplittableRandom random, List<String> texts) {
    return Limits.parse(texts.get(random.nextInt(texts.size())));
  }

  static Changing playAndChange(SplittableRandom random, Limit first, Limit... then) {
    var changing = new Changing(first, origin(random), UNANSWERED);
    // A spacing counts calls: as much as any other limit only if each call costs one.
    changing.unitCosts =
        Stream.concat(Stream.of(first), Stream.of(then)).anyMatch(Spacing.class::isInstance);
    for (Limit next : then) {
      changing.play(random, 5 + random.nextInt(25));
      if (random.nextBoolean()) {
        changing.drain(Cost.ONE, 100);
      }
      changing.now += random.nextBoolean() ? 0 : random.nextLong(2 * MINUTE);
      changing.change(next);
      if (random.nextBoolean()) {
        changing.drain(Cost.ONE, 200);
      }
    }
    changing.play(random, 40);
    return changing;
  }

  /**
   * Checks every interval, of the length of a limit that let through any of it, against what any of
   * the limits allows.
   */
  static void assertWithin(Changing changing, List<Rate> rates) {
    for (Rate rate : rates) {
      long allowed = rates.stream().mapToLong(other -> allowedBy(other, rate)).max().orElseThrow();
      for (Changing.Request last : changing.requests) {
        long sum = heldBy(changing, last, rate.nanos());
        assertTrue(
            sum <= allowed || !wasInForce(changing, rate, last),
            () -> sum + " in " + rate + ", not " + allowed + ", up to " + last + tell(changing));
      }
    }
  }

  static long allowedBy(Rate rate, Rate interval) {
    return ((interval.nanos() - 1) / rate.nanos() + 1) * rate.permits();
  }

  /** Returns whether {@code rate} let through anything of the interval up to {@code last}. */
  static boolean wasInForce(Changing changing, Rate rate, Changing.Request last) {
    return changing.requests.stream()
        .filter(r -> r.start <= last.start && r.start > last.start - rate.nanos())
        .filter(r -> r.cost.amount() > 0)
        .map(r -> changing.limits.get(r.era))
        .map(limit -> (Window) (limit instanceof Peer peer ? peer.limit() : limit))
        .anyMatch(window -> window.rate().equals(rate));
  }

  /**
   * Returns how much was counted in the interval that ends just behind the start of {@code last}.
   */
  static long heldBy(Changing changing, Changing.Request last, long nanos) {
    long from = last.start - nanos + 1;
    return changing.requests.stream()
        .filter(r -> r.counts && r.start <= last.start && (r.tracked ? r.end : r.start) >= from)
        .mapToLong(r -> r.cost.amount())
        .sum();
  }

  static String tell(Changing changing) {
    return " of " + changing.limits + " from " + changing.changes + ": " + changing.requests;
  }

  /** Returns whether no part of {@code span}, from its beginning, is more than it may be. */
  static boolean keeps(Limit limit, List<Changing.Request> span) {
    for (int size = 1; size <= span.size(); size++) {
      if (!isWithin(span.subList(0, size), limit)) {
        return false;
      }
    }
    return true;
  }

  static boolean isWithin(List<Changing.Request> span, Bucket bucket) {
    long sum = 0;
    long most = bucket.burst() + bucket.debt();
    for (Changing.Request request : span) {
      sum += request.cost.amount();
      most = Math.max(most, request.cost.amount());
    }
    long length = span.get(span.size() - 1).start - span.get(0).start + bucket.slackNanos();
    BigInteger refill =
        BigInteger.valueOf(length).multiply(BigInteger.valueOf(bucket.rate().permits()));
    BigInteger excess =
        BigInteger.valueOf(sum - most).multiply(BigInteger.valueOf(bucket.rate().nanos()));
    return excess.compareTo(refill) <= 0;
  }

  static boolean isWithin(List<Changing.Request> span, Limit limit) {
    if (limit instanceof Bucket bucket) {
      return isWithin(span, bucket);
    }
    if (limit instanceof Warmup warmup) {
      return isWithin(span, Bucket.of(warmup.rate()).slack(Duration.ofNanos(warmup.slackNanos())));
    }
    long length = span.get(span.size() - 1).start - span.get(0).start;
    if (limit instanceof Fixed fixed) {
      return span.stream().mapToLong(r -> r.cost.amount()).sum() <= allowed(fixed, length);
    }
    if (limit instanceof Window window) {
      long sum = span.stream().mapToLong(r -> r.cost.amount()).sum();
      return length >= window.rate().nanos() || sum <= window.rate().permits();
    }
    return span.size() != 2 || length >= ((Spacing) limit).gapNanos();
  }

  /** M * (ceil(W / I) + 1), W being the shortest that holds two instants that far apart. */
  static long allowed(Fixed limit, long length) {
    return limit.rate().permits() * (length / limit.rate().nanos() + 2);
  }
}
