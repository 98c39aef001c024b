package dev.pacegate.engine.feedback;

import dev.pacegate.Quota;
import dev.pacegate.limit.Cost;
import dev.pacegate.limit.Limit;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.function.ToLongFunction;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A working rate for each term of a limit that may have one. A refusal lowers that of one term, and
 * requests go by the slowest in force. Guarded by the gate.
 *
 * <p>The term is the one that a used-up quota names. If none is named, it is the shortest that
 *
 * <ul>
 *   <li>has an interval as long as the wait that the refusal states, and
 *   <li>is not lowered already, to a rate that was accepted: that explains no refusal;
 * </ul>
 *
 * but the longest if there is no such term, and never a shorter one than the longest that is
 * lowered: if another client takes its share of the longer term, that term refuses again and again.
 * The shorter term comes first as it costs less: a refusal that happens once slows requests for a
 * few of its intervals.
 */
final class WorkingRates {

  private final List<WorkingRate> byInterval; // the longest last

  private WorkingRates(Stream<WorkingRate> rates) {
    this.byInterval = rates.sorted(Comparator.comparingLong(WorkingRate::window)).toList();
  }

  static WorkingRates of(Limit limit) {
    return new WorkingRates(WorkingRate.of(limit));
  }

  /** Returns the working rates that follow these under another limit. */
  WorkingRates under(Limit next, long now) {
    WorkingRates followers = of(next);
    byInterval.stream()
        .filter(rate -> rate.isLowered(now))
        .forEach(rate -> followers.heirOf(rate).ifPresent(heir -> heir.goesOnFrom(rate, now)));
    return followers;
  }

  /** Returns the one with the same interval, else the next longer, else the longest. */
  private Optional<WorkingRate> heirOf(WorkingRate before) {
    return byInterval.stream()
        .filter(rate -> rate.window() >= before.window())
        .findFirst()
        .or(this::longest);
  }

  private Optional<WorkingRate> longest() {
    return byInterval.isEmpty()
        ? Optional.empty()
        : Optional.of(byInterval.get(byInterval.size() - 1));
  }

  // What the peer says

  /** The peer has accepted requests. */
  void accepted(long now, long amount) {
    byInterval.forEach(rate -> rate.accepted(now, amount));
  }

  /** The peer states a quota. */
  void stated(Quota quota, long now) {
    byInterval.forEach(rate -> rate.stated(quota, now));
  }

  /** Returns the rate of the term that a refusal is about; null if that has none. */
  @Nullable WorkingRate about(RefusalDetails refusal) {
    WorkingRate found = null;
    for (WorkingRate rate : byInterval) {
      boolean isMeant = refusal.usedUp().isEmpty() || !refusal.usedUpOf(rate).isEmpty();
      boolean isBetter =
          found == null || !found.mayExplain(refusal) || rate.isLowered(refusal.now());
      if (isMeant && isBetter) {
        found = rate;
      }
    }
    return found;
  }

  // How requests go

  /** Returns the wait for the first unit behind {@code ahead}. */
  long nanosUntil(long now, Cost ahead) {
    return longest(pace -> pace.nanosUntil(now, ahead));
  }

  void release(long now, Cost cost) {
    byInterval.forEach(rate -> rate.pace().release(now, cost));
  }

  /** Returns how long one of them is in force if nothing more is refused; 0 if none is. */
  long restsIn(long now) {
    return longest(pace -> pace.restsIn(now));
  }

  private long longest(ToLongFunction<EvenPace> span) {
    long longest = 0;
    for (WorkingRate rate : byInterval) {
      longest = Math.max(longest, span.applyAsLong(rate.pace()));
    }
    return longest;
  }

  /** Returns the slowest in force, in units a second. */
  OptionalDouble perSecond(long now) {
    double slowest = Double.POSITIVE_INFINITY;
    for (WorkingRate rate : byInterval) { // with each answer
      if (rate.isLowered(now)) {
        slowest = Math.min(slowest, rate.perSecond(now));
      }
    }
    return slowest < Double.POSITIVE_INFINITY ? OptionalDouble.of(slowest) : OptionalDouble.empty();
  }
}
