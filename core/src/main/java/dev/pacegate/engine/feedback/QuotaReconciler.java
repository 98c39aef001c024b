package dev.pacegate.engine.feedback;

import dev.pacegate.Quota;
import dev.pacegate.engine.LargestCost;
import dev.pacegate.engine.Pool;
import dev.pacegate.limit.Cost;
import dev.pacegate.limit.Limit;
import dev.pacegate.limit.Measure;
import dev.pacegate.limit.Outcome;
import dev.pacegate.limit.Promise;
import dev.pacegate.limit.spi.Meter;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;

/**
 * Compares what a limit has left with what the peer reports. If the peer counts more, other clients
 * have taken the difference: it is charged here as well, as if released and answered now. So less
 * is left at once, and more again only as the limit's own interval passes. A report that is
 * repeated or out of order charges nothing.
 */
final class QuotaReconciler {

  /** A meter that lets this much through does not count plain costs. */
  private static final long ALL = 1L << 40;

  /** What others took is charged for no longer than this. */
  private static final long LONGEST_CHARGE = Duration.ofMinutes(10).toNanos();

  private QuotaReconciler() {}

  /** Returns how much plain cost a pool lets through at once; empty if it counts none. */
  static OptionalLong left(Pool pool, long now) {
    boolean counts =
        pool.limit().promises().stream().anyMatch(promise -> promise.of().equals(Measure.PLAIN));
    long left = counts ? leftAtOnce(pool.meter(), Measure.PLAIN, now) : ALL;
    return left == ALL ? OptionalLong.empty() : OptionalLong.of(left);
  }

  private static long leftAtOnce(Meter meter, Measure of, long now) {
    return largest(meter, of, now, 0);
  }

  /** Returns the largest cost that could ever pass. */
  private static long capacity(Meter meter, Measure of, long now) {
    return largest(meter, of, now, Meter.NEVER - 1);
  }

  private static long largest(Meter meter, Measure of, long now, long longestWait) {
    LongPredicate goes = amount -> meter.nanosUntil(now, now, of.cost(amount)) <= longestWait;
    return goes.test(ALL) ? ALL : LargestCost.between(0, ALL, goes);
  }

  /**
   * What a quota shows.
   *
   * @param taken how much other clients took that was not known before
   * @param pause for how long nothing may be let through; 0 if what they took is charged
   */
  record Finding(long taken, long pause) {
    static final Finding NOTHING = new Finding(0, 0);
  }

  /**
   * Charges the difference to the peer's remaining count. Requests released after the one that the
   * peer answered are assumed to be counted already, so only what others must have taken is
   * charged.
   *
   * @param startedAt the start of the request that the peer answered
   */
  static Finding apply(Pool pool, Quota quota, long startedAt, long now) {
    List<Promise> terms = terms(pool.limit(), quota);
    Promise term = term(terms, quota);
    OptionalLong remaining = term == null ? OptionalLong.empty() : remaining(term, quota);
    if (term == null || remaining.isEmpty() || hasTurned(pool, term, startedAt, now)) {
      return Finding.NOTHING;
    }
    long left = remaining.getAsLong();
    List<Meter> leaves = leaves(pool.meter(), terms, term, now);
    if (!isCharged(term, quota)) {
      return new Finding(0, pause(leaves, term.of(), quota, left, now));
    }
    long most = 0;
    for (Meter leaf : leaves) {
      most = Math.max(most, cut(leaf, term.of(), left, now));
    }
    return new Finding(most, 0);
  }

  /** Returns whether the report may be about a window that is over now. */
  private static boolean hasTurned(Pool pool, Promise term, long startedAt, long now) {
    return term.mayHaveTurned(pool.timeOfDay().instant(), Math.max(0, now - startedAt));
  }

  /**
   * Returns whether what others took is charged, for an interval of the limit. A quota without a
   * window may have a shorter one. One answer charges at most ten minutes.
   */
  private static boolean isCharged(Promise term, Quota quota) {
    if (!isNamed(quota)) {
      return true; // a program says so, no header
    }
    boolean isShort = term.interval() <= LONGEST_CHARGE;
    return quota.reset().isEmpty() ? isShort : isShort && quota.window().isPresent();
  }

  private static long pause(List<Meter> leaves, Measure of, Quota quota, long left, long now) {
    boolean others = leaves.stream().anyMatch(leaf -> isMore(leftAtOnce(leaf, of, now), 0));
    if (left > 0 || !others || quota.reset().isEmpty()) {
      return 0;
    }
    return nanos(quota.reset().get());
  }

  private static long nanos(Duration span) {
    return span.compareTo(Duration.ofDays(1)) > 0 ? LONGEST_CHARGE : span.toNanos();
  }

  private static boolean isMore(long ours, long left) {
    return ours != ALL && ours > left;
  }

  /** Returns the quota with the smallest limit of those that are used up; null if none. */
  static @Nullable Quota stating(List<Quota> usedUp) {
    return usedUp.stream()
        .filter(quota -> quota.limit().orElse(0) > 0)
        .min(Comparator.comparingLong(quota -> quota.limit().orElseThrow()))
        .orElse(null);
  }

  static boolean isUsedUp(Quota quota) {
    return quota.remaining().isPresent() && quota.remaining().getAsLong() == 0;
  }

  /** Returns whether a quota says, by its window or its limit, which term it is about. */
  static boolean isNamed(Quota quota) {
    return quota.window().isPresent() || quota.limit().isPresent();
  }

  /** Returns whether a quota names a term of a limit. */
  static boolean names(Limit limit, Quota quota) {
    return isNamed(quota) && term(limit, quota) != null;
  }

  /** Returns the term of a limit that a quota is about; null if it does not say. */
  static @Nullable Promise term(Limit limit, Quota quota) {
    return term(terms(limit, quota), quota);
  }

  /** Returns the meters of {@code term}; during a change of limits, all that allow as much. */
  static List<Meter> leaves(Meter meter, List<Promise> terms, Promise term, long now) {
    if (terms.size() == 1) {
      return meter.leaves();
    }
    List<Promise> same = terms.stream().filter(other -> other.atOnce() == term.atOnce()).toList();
    List<Meter> alike =
        meter.leaves().stream()
            .filter(leaf -> capacity(leaf, term.of(), now) == term.atOnce())
            .toList();
    return alike.size() == same.size() ? List.of(alike.get(same.indexOf(term))) : alike;
  }

  private static long cut(Meter leaf, Measure of, long left, long now) {
    long ours = leftAtOnce(leaf, of, now);
    if (!isMore(ours, left)) {
      return 0;
    }
    Cost taken = of.cost(ours - left);
    leaf.release(now, now, taken);
    if (leaf.tracks()) {
      leaf.end(now, now, taken, Outcome.ANSWERED);
    }
    return ours - left;
  }

  private static OptionalLong remaining(Promise term, Quota quota) {
    if (quota.remaining().isPresent() || quota.used().isEmpty()) {
      return quota.remaining();
    }
    long of = quota.limit().orElse(term.atOnce());
    return OptionalLong.of(Math.max(0, of - quota.used().getAsLong()));
  }

  /** Returns the promises of what a quota counts, with an interval that a peer may name. */
  static List<Promise> terms(Limit limit, Quota quota) {
    Measure of = quota.cost().isEmpty() ? Measure.PLAIN : Measure.of(quota.cost());
    return limit.promises().stream()
        .filter(promise -> promise.of().equals(of) && promise.interval() > 0)
        .toList();
  }

  /**
   * Returns the promise whose interval, or else number, the quota names; null if there is none, or
   * several: a peer may report a limit that is not ours. A quota that names nothing is about the
   * only promise.
   */
  static @Nullable Promise term(List<Promise> terms, Quota quota) {
    if (!isNamed(quota)) {
      return terms.size() == 1 ? terms.get(0) : null;
    }
    List<Promise> matching = terms.stream().filter(term -> matches(term, quota)).toList();
    return matching.size() == 1 ? matching.get(0) : null;
  }

  private static boolean matches(Promise term, Quota quota) {
    if (quota.window().isPresent()) {
      return quota.window().get().equals(Duration.ofNanos(term.interval()));
    }
    return quota.limit().isPresent() && quota.limit().getAsLong() == term.atOnce();
  }

  /** Returns whether all promises of {@code limit} hold at the peer. */
  static boolean isProven(Limit limit) {
    List<Promise> promises = limit.promises();
    return !promises.isEmpty() && promises.stream().allMatch(Promise::countsWhole);
  }
}
