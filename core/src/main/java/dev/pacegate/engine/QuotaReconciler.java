package dev.pacegate.engine;

import dev.pacegate.Quota;
import dev.pacegate.limit.Cost;
import dev.pacegate.limit.Limit;
import dev.pacegate.limit.Measure;
import dev.pacegate.limit.Outcome;
import dev.pacegate.limit.Promise;
import dev.pacegate.limit.spi.Meter;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * Compares what a limit of plain costs has left with what the peer reports. If the peer counts
 * more, other clients have taken the difference: it is charged here as well, as if released and
 * answered now. So less is left at once, and more again only as the limit's own interval passes. A
 * report that is repeated or out of order charges nothing.
 */
final class QuotaReconciler {

  /** A meter that lets this much through does not count plain costs. */
  private static final long ALL = 1L << 40;

  private QuotaReconciler() {}

  /** Returns how much plain cost {@code meter} lets through at once, {@link #ALL} if any. */
  static long of(Meter meter, long now) {
    return largest(meter, now, 0);
  }

  /** Returns the largest cost that could ever pass. */
  private static long capacity(Meter meter, long now) {
    return largest(meter, now, Meter.NEVER - 1);
  }

  private static long largest(Meter meter, long now, long longestWait) {
    long fits = 0;
    long tooMuch = ALL;
    if (meter.nanosUntil(now, now, Cost.of(ALL)) <= longestWait) {
      return ALL;
    }
    while (fits + 1 < tooMuch) {
      long middle = (fits + tooMuch) >>> 1;
      if (meter.nanosUntil(now, now, Cost.of(middle)) <= longestWait) {
        fits = middle;
      } else {
        tooMuch = middle;
      }
    }
    return fits;
  }

  /**
   * Reduces what is left to what the peer has left.
   *
   * @param startedAt the start of the request that the peer answered
   * @param later how much was released after it
   * @return how much other clients took that was not known before
   */
  static long apply(Pool pool, Quota quota, long startedAt, long later, long now) {
    List<Promise> terms = terms(pool.limit());
    Promise term = term(terms, quota);
    OptionalLong remaining = term == null ? OptionalLong.empty() : remaining(term, quota);
    if (term == null || remaining.isEmpty() || pool.hasTurned(term, startedAt, now)) {
      return 0;
    }
    long left = Math.max(0, remaining.getAsLong() - later);
    long most = 0;
    for (Meter leaf : leaves(pool.meter(), terms, term, now)) {
      most = Math.max(most, cut(leaf, left, now));
    }
    return most;
  }

  /** Returns the meters of {@code term}; during a change of limits, all that allow as much. */
  private static List<Meter> leaves(Meter meter, List<Promise> terms, Promise term, long now) {
    if (terms.size() == 1) {
      return meter.leaves();
    }
    List<Promise> same = terms.stream().filter(other -> other.atOnce() == term.atOnce()).toList();
    List<Meter> alike =
        meter.leaves().stream().filter(leaf -> capacity(leaf, now) == term.atOnce()).toList();
    return alike.size() == same.size() ? List.of(alike.get(same.indexOf(term))) : alike;
  }

  private static long cut(Meter leaf, long left, long now) {
    long ours = of(leaf, now);
    if (ours == ALL || ours <= left) {
      return 0;
    }
    Cost taken = Cost.of(ours - left);
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

  /** Returns the promises of plain costs with an interval that a peer may name. */
  private static List<Promise> terms(Limit limit) {
    return limit.promises().stream()
        .filter(promise -> promise.of().equals(Measure.PLAIN) && promise.interval() > 0)
        .toList();
  }

  /**
   * Returns the promise whose interval, or else number, the quota names; null if there is none, or
   * several: a peer may report a limit that is not ours. A quota that names nothing is about the
   * only promise.
   */
  private static @Nullable Promise term(List<Promise> terms, Quota quota) {
    if (quota.window().isEmpty() && quota.limit().isEmpty()) {
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
