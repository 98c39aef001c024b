package dev.pacegate.history;

import dev.pacegate.limit.Limit;
import dev.pacegate.limit.Margin;
import dev.pacegate.limit.Measure;
import dev.pacegate.limit.Peer;
import dev.pacegate.limit.Promise;
import dev.pacegate.limit.Rate;
import dev.pacegate.limit.Window;
import dev.pacegate.limit.spi.Meter;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * What a limit promises for an interval exactly as long as its own, in one view. It limits what
 * that limit let through even after the limit was replaced: an interval of that length that
 * contains any of it may contain at most the largest promise of that limit and those after it.
 *
 * @param max that largest promise
 * @param length the length
 * @param nanos the length, the margin included
 * @param view what is counted, and for how long
 * @param fixed whether it is a {@code fixed} limit's, whose windows start at fixed instants
 * @param unansweredNanos how long after its start a lost request may be counted
 * @param replacedAt when the limit was replaced
 */
record EarlierWindow(
    long max,
    long length,
    long nanos,
    View view,
    boolean fixed,
    long unansweredNanos,
    long replacedAt) {

  /** Returns the windows of {@code limit}, which is replaced at {@code replacedAt}. */
  static List<EarlierWindow> of(Limit limit, long replacedAt) {
    var windows = new ArrayList<EarlierWindow>();
    for (Limit term : limit.terms()) {
      for (Promise promise : term.promises()) {
        if (hasLength(promise)) {
          long length = promise.length();
          windows.add(
              new EarlierWindow(
                  promise.most(length),
                  length,
                  term.margin().longer(length),
                  View.of(promise),
                  promise instanceof Promise.PerWindow,
                  term.unansweredNanos(),
                  replacedAt));
        }
      }
    }
    return windows;
  }

  /** Returns whether its promise is about intervals of one length. Those of buckets are not. */
  private static boolean hasLength(Promise promise) {
    return allowsNoMore(promise) || promise instanceof Promise.PerWindow;
  }

  /** Returns whether no interval of its length holds more than may go at once. */
  private static boolean allowsNoMore(Promise promise) {
    return promise.length() > 0 && promise.most(promise.length()) == promise.atOnce();
  }

  /**
   * Returns the windows of {@code next} that hold for all that its meter is told, not only for what
   * it let through itself. Fixed windows go on from those of the same limit alone.
   */
  static List<EarlierWindow> keptBy(Limit next, Limit old, long now) {
    var kept = new ArrayList<EarlierWindow>();
    for (Limit term : next.terms()) {
      if (term.promises().stream().allMatch(p -> allowsNoMore(p) || goesOn(p, old))) {
        kept.addAll(of(term, now));
      }
    }
    return kept;
  }

  private static boolean goesOn(Promise promise, Limit old) {
    return promise instanceof Promise.PerWindow && old.promises().contains(promise);
  }

  /** Returns for how long after its start {@code limit} counts a lost request, at most. */
  static long unanswered(Limit limit) {
    long longest = 0;
    for (Limit term : limit.terms()) {
      boolean limitsIntervals =
          term.promises().stream().anyMatch(p -> p.countsWhole() && p.interval() > 0);
      longest = limitsIntervals ? Math.max(longest, term.unansweredNanos()) : longest;
    }
    return longest;
  }

  /**
   * Returns the most that {@code limit} promises for an interval of {@code length} in {@code view};
   * {@link Long#MAX_VALUE} if it promises nothing.
   */
  private static long most(Limit limit, View view, long length) {
    long most = Long.MAX_VALUE;
    for (Promise promise : limit.promises()) {
      if (View.of(promise).includes(view)) {
        most = Math.min(most, promise.most(length));
      }
    }
    return most;
  }

  /**
   * Returns the views in which {@code limit} and this window can be compared. The limit's promise
   * is the same for all views that lie between two of these.
   */
  private Set<View> viewsWith(Limit limit) {
    var views = new LinkedHashSet<View>();
    views.add(view);
    views.add(new View(Measure.CALLS, view.bound()));
    for (Promise promise : limit.promises()) {
      long bound = View.of(promise).bound();
      views.add(new View(view.of(), bound));
      views.add(new View(Measure.CALLS, bound));
    }
    views.removeIf(other -> !view.includes(other));
    return views;
  }

  /**
   * Returns the larger promise of this window and {@code other}, in every view of both in which it
   * says more than in another.
   */
  List<EarlierWindow> orLargerOf(Limit other) {
    var windows = new ArrayList<EarlierWindow>();
    for (View each : viewsWith(other)) {
      long larger = Math.max(max, most(other, each, length));
      var window =
          new EarlierWindow(larger, length, nanos, each, fixed, unansweredNanos, replacedAt);
      if (larger < Long.MAX_VALUE && windows.stream().noneMatch(wider -> wider.covers(window))) {
        windows.add(window);
      }
    }
    return windows;
  }

  EarlierWindow unanswered(long longer) {
    long span = Math.max(unansweredNanos, longer);
    return new EarlierWindow(max, length, nanos, view, fixed, span, replacedAt);
  }

  /**
   * Returns this window as if its limit had been replaced at {@code now}, when a request is known
   * to start that it may have let through.
   */
  EarlierWindow renewed(long now) {
    return now - replacedAt > 0
        ? new EarlierWindow(max, length, nanos, view, fixed, unansweredNanos, now)
        : this;
  }

  /**
   * Returns whether {@code other} is redundant beside this one. A longer window that allows no more
   * does for as long as no other limit comes.
   */
  private boolean covers(EarlierWindow other) {
    return view.includes(other.view)
        && nanos >= other.nanos
        && max <= other.max
        && (!other.view.isWhole() || lostNanos() >= other.lostNanos());
  }

  /** Returns for how long after its start a lost request counts. */
  private long lostNanos() {
    return view.endsByItself() ? view.bound() : unansweredNanos;
  }

  /**
   * Returns whether both count the same, so that what is known of the past is the same for both.
   */
  private boolean isOfSame(EarlierWindow other) {
    return view.of().equals(other.view.of());
  }

  /** Returns whether {@code other} of another limit is redundant beside this one. */
  boolean replaces(EarlierWindow other) {
    boolean isAsLong = !fixed || (length == other.length && max == other.max);
    return covers(other) && isOfSame(other) && isAsLong;
  }

  /** Returns whether {@code other} is redundant beside this one, whatever limits come. */
  boolean alwaysReplaces(EarlierWindow other) {
    return replaces(other) && length == other.length && replacedAt - other.replacedAt >= 0;
  }

  /**
   * Returns a window as strict as both: the longer length, the smaller maximum, and the shorter
   * one's bound for new requests.
   */
  EarlierWindow mergedWith(EarlierWindow other) {
    return new EarlierWindow(
        Math.min(max, other.max),
        Math.min(length, other.length),
        Math.max(nanos, other.nanos),
        new View(view.of(), Math.max(view.bound(), other.view.bound())),
        fixed && other.fixed,
        Math.max(unansweredNanos, other.unansweredNanos),
        replacedAt - other.replacedAt >= 0 ? replacedAt : other.replacedAt);
  }

  /** Returns whether nothing counts any more; if ends count, only the open requests can tell. */
  boolean isOver(long now) {
    return !view.isWhole() && now - replacedAt >= nanos;
  }

  /** Returns how far apart both are if they can be merged, as a factor; else the largest number. */
  double distance(EarlierWindow other) {
    if (!view.isLike(other.view)) {
      return Double.MAX_VALUE;
    }
    double bounds = view.isWhole() ? ratio(view.bound(), other.view.bound()) : 1;
    return ratio(nanos, other.nanos) * bounds;
  }

  private static double ratio(long a, long b) {
    return (double) Math.max(a, b) / Math.max(1, Math.min(a, b));
  }

  /** Returns a fresh meter of this window alone. */
  Meter newMeter(long now) {
    Measure counted = view.isOfCalls() ? Measure.PLAIN : view.of();
    var window = new Window(new Rate(Math.min(max, nanos), nanos), counted);
    if (!view.isWhole()) {
      return window.newMeter(now);
    }
    return new Peer(
            window, lostNanos(), view.endsByItself(), false, Meter.NEVER, Margin.NONE, false)
        .newMeter(now);
  }
}
