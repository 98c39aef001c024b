package dev.pacegate.change;

import dev.pacegate.limit.Cost;
import dev.pacegate.limit.Limit;
import dev.pacegate.limit.Measure;
import dev.pacegate.limit.Promise;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Judges the promise across changes of a limit: an interval exactly as long as that of one of the
 * limits, in a view in which they all promise something, holds at most the largest promise. By
 * counting alone.
 */
final class LargerPromise {

  private static final long START_ONLY = -1;

  /**
   * What is counted, and for how long.
   *
   * @param paid whether calls count only if they cost something, so that a limit of costs bounds
   *     them as well
   * @param bound how long after it was sent a request counts at most; {@code START_ONLY} if only
   *     its start counts
   */
  private record View(Measure of, boolean paid, long bound) {

    static View of(Promise promise) {
      long whole = promise.countsWhole() ? ChangeOracle.bound(promise) : START_ONLY;
      return new View(promise.of(), false, whole);
    }

    boolean isBoundedBy(Promise promise) {
      return counts(promise) && of(promise).bound >= bound;
    }

    boolean counts(Promise promise) {
      boolean costs = paid && promise.of().equals(Measure.PLAIN);
      return promise.of().equals(of) || costs;
    }

    long amount(Cost cost) {
      return paid ? Math.min(1, cost.amount()) : of.of(cost);
    }
  }

  /** A length that is some limit's own, in one view of it, and what that limit counts. */
  private record Own(long nanos, View view, Measure of) {}

  private final ChangeOracle oracle;
  private final List<ChangeOracle.Era> eras;
  private final List<ChangeOracle.Request> sent;

  LargerPromise(ChangeOracle oracle, List<ChangeOracle.Era> eras, List<ChangeOracle.Request> sent) {
    this.oracle = oracle;
    this.eras = eras;
    this.sent = sent;
  }

  /** Returns what is wrong, or null. */
  @Nullable String judge() {
    for (Own own : owns()) {
      String wrong = judge(own);
      if (wrong != null) {
        return wrong;
      }
    }
    return null;
  }

  private Set<Own> owns() {
    var bounds = new LinkedHashSet<Long>(List.of(START_ONLY));
    var owns = new LinkedHashSet<Own>();
    eras.forEach(era -> era.promises().forEach(promise -> bounds.add(View.of(promise).bound)));
    for (ChangeOracle.Era era : eras) {
      for (Promise promise : era.promises()) {
        if (hasLength(promise)) {
          View view = View.of(promise);
          for (long bound : bounds) {
            if (bound <= view.bound) {
              owns.add(new Own(promise.length(), new View(view.of, false, bound), view.of));
            }
            if (bound <= view.bound && view.of.name() == null) {
              owns.add(new Own(promise.length(), new View(Measure.CALLS, true, bound), view.of));
            }
          }
        }
      }
    }
    return owns;
  }

  private static boolean hasLength(Promise promise) {
    Promise inner = ChangeOracle.inner(promise);
    return inner instanceof Promise.AtMost
        || inner instanceof Promise.Gap
        || inner instanceof Promise.PerWindow;
  }

  private boolean isOwn(int era, Own own) {
    return eras.get(era).promises().stream()
        .filter(p -> hasLength(p) && p.of().equals(own.of))
        .anyMatch(p -> p.length() == own.nanos && own.view.isBoundedBy(p));
  }

  /**
   * Judges the interval that ends with a start, for each start: an interval that ends later holds
   * no more of what started by then.
   */
  private @Nullable String judge(Own own) {
    for (int last = 0; last < sent.size(); last++) {
      ChangeOracle.Request end = sent.get(last);
      if (end.least(own.view::amount) > 0) {
        var counted = new ArrayList<ChangeOracle.Request>();
        for (ChangeOracle.Request request : sent.subList(0, last + 1)) {
          if (until(request, own, end.era) > end.start - own.nanos) {
            counted.add(request);
          }
        }
        String wrong = judge(own, counted, end.era);
        if (wrong != null) {
          return wrong;
        }
      }
    }
    return null;
  }

  /** Returns until when a peer may count a request, as known while a limit is in force. */
  private long until(ChangeOracle.Request request, Own own, int era) {
    if (own.view.bound == START_ONLY || !eras.get(request.era).tracks()) {
      return request.start;
    }
    if (oracle.knowsStartAlone(request, oracle.logOf(era), own.of)) {
      return oracle.untilAsStarted(request);
    }
    long lost = request.known + unanswered(request, own.view, era);
    long until = request.lost ? Math.max(request.end, lost) : request.end;
    long bound = Math.min(own.view.bound, boundOfFirst(request, own.view, era));
    return bound == Long.MAX_VALUE ? until : Math.min(until, request.known + bound);
  }

  /** A limit that counts only for so long after a start tells no more of what is over. */
  private long boundOfFirst(ChangeOracle.Request request, View view, int latest) {
    if (request.endedIn > oracle.logOf(latest)) {
      return Long.MAX_VALUE;
    }
    return eras.get(request.era).promises().stream()
        .filter(view::counts)
        .mapToLong(ChangeOracle::bound)
        .min()
        .orElse(Long.MAX_VALUE);
  }

  /** Returns the longest of the limit that let a request through, and of those after it. */
  private long unanswered(ChangeOracle.Request request, View view, int latest) {
    int log = oracle.logOf(latest);
    boolean isOver = request.endedIn <= log; // when the log began: its meter knew no longer bound
    long longest = 0;
    for (int era = Math.max(request.era, log); era <= (isOver ? log : latest); era++) {
      longest = Math.max(longest, unanswered(eras.get(era), view));
    }
    return longest;
  }

  /** Several terms that bound the same count together as long as the first of them counts. */
  private static long unanswered(ChangeOracle.Era era, View view) {
    return era.limit().terms().stream()
        .filter(term -> term.promises().stream().anyMatch(view::isBoundedBy))
        .filter(term -> term.promises().stream().noneMatch(Promise.Open.class::isInstance))
        .mapToLong(Limit::unansweredNanos)
        .min()
        .orElse(0);
  }

  /** Judges what an interval holds, and what it holds of the later of these requests. */
  private @Nullable String judge(Own own, List<ChangeOracle.Request> counted, int latest) {
    int log = oracle.logOf(latest);
    ChangeOracle.@Nullable Request last = null; // of those that cost anything
    long sum = 0;
    long largest = 0;
    boolean isOwn = false;
    for (int i = counted.size() - 1; i >= 0; i--) {
      ChangeOracle.Request request = counted.get(i);
      last = last == null && request.amount(request, own.view::amount) > 0 ? request : last;
      long amount = last == null ? 0 : oracle.amount(request, last, own.view::amount);
      if (amount > 0 && oracle.isKnown(request, log, own.view::counts)) {
        sum += amount;
        largest = Math.max(largest, amount);
        isOwn |= isOwn(request.era, own);
        long most = most(own, request.era, latest, largest);
        if (most == Long.MAX_VALUE) {
          return null;
        }
        if (isOwn && sum > most) {
          return "P1: %d, not %d of %s in %s".formatted(sum, most, own, counted);
        }
      }
    }
    return null;
  }

  /** Returns the largest promise of the limits from one to another. */
  private long most(Own own, int first, int last, long largest) {
    long most = 0;
    for (int era = first; era <= last && most < Long.MAX_VALUE; era++) {
      most = Math.max(most, most(own, eras.get(era), largest));
    }
    return most;
  }

  /** A window of just this length is what counts; of other terms the strictest. */
  private static long most(Own own, ChangeOracle.Era era, long largest) {
    long ofThisLength = Long.MAX_VALUE;
    long strictest = Long.MAX_VALUE;
    for (Promise promise : era.promises()) {
      if (own.view.isBoundedBy(promise)) {
        long most = ChangeOracle.most(promise, own.nanos, largest);
        strictest = Math.min(strictest, most);
        if (hasLength(promise) && promise.length() == own.nanos) {
          ofThisLength = Math.min(ofThisLength, most);
        }
      }
    }
    return ofThisLength == Long.MAX_VALUE ? strictest : ofThisLength;
  }
}
