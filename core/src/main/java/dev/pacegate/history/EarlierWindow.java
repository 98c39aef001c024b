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
import java.util.Comparator;
import java.util.List;

/**
 * A window of a limit that has been replaced, which still limits what it let through: no interval
 * of its length that holds any of that may hold more than the largest promise of that limit and
 * those after it.
 *
 * @param max that largest promise
 * @param length the length
 * @param nanos the length, the margin included
 * @param of what is counted
 * @param whole whether a request counts until it has ended
 * @param unansweredNanos how long after its start a lost request may be counted
 * @param counted whether no other request is counted later than that, either
 * @param until when the limit was replaced
 */
record EarlierWindow(
    long max,
    long length,
    long nanos,
    Measure of,
    boolean whole,
    long unansweredNanos,
    boolean counted,
    long until) {

  private static final int MOST = 8;

  /** Returns the windows that matter once {@code old} is replaced by {@code next}. */
  static List<EarlierWindow> after(List<EarlierWindow> earlier, Limit old, Limit next, long now) {
    var all = new ArrayList<>(earlier);
    all.addAll(of(old, now));
    all.replaceAll(window -> window.before(next));
    all.removeIf(window -> window.max == Long.MAX_VALUE || window.isOver(now));
    boolean merged = true;
    while (merged) {
      merged = mergeNearest(all);
    }
    return List.copyOf(all);
  }

  private static List<EarlierWindow> of(Limit limit, long until) {
    var windows = new ArrayList<EarlierWindow>();
    for (Limit term : limit.terms()) {
      for (Promise promise : term.promises()) {
        if (isWindow(promise)) {
          windows.add(
              new EarlierWindow(
                  promise.atOnce(),
                  promise.length(),
                  term.margin().longer(promise.length()),
                  promise.of(),
                  promise.countsWhole(),
                  term.unansweredNanos(),
                  promise instanceof Promise.Counted,
                  until));
        }
      }
    }
    return windows;
  }

  /** Returns whether no interval of its length holds more than may go at once. */
  private static boolean isWindow(Promise promise) {
    return promise.length() > 0 && promise.most(promise.length()) == promise.atOnce();
  }

  /** Returns this window as it holds while {@code next} is in force. */
  private EarlierWindow before(Limit next) {
    boolean counts = whole && next.promises().stream().anyMatch(p -> bounds(p) && p.countsWhole());
    long most =
        next.promises().stream()
            .filter(p -> bounds(p) && (p.countsWhole() || !counts))
            .mapToLong(p -> p.most(length))
            .min()
            .orElse(Long.MAX_VALUE);
    return new EarlierWindow(
        Math.max(max, most), length, nanos, of, counts, unansweredNanos, counted, until);
  }

  private boolean bounds(Promise promise) {
    return promise.of().equals(of) && promise.most(length) < Long.MAX_VALUE;
  }

  /**
   * Returns whether {@code other} is redundant beside this one, as a longer window allows no more.
   */
  private boolean covers(EarlierWindow other) {
    return isLike(other) && nanos >= other.nanos && max <= other.max;
  }

  private boolean isLike(EarlierWindow other) {
    return of.equals(other.of) && whole == other.whole && counted == other.counted;
  }

  /**
   * Returns a window as strict as both: the longer length, the smaller maximum, and the shorter
   * one's bound for new requests.
   */
  private EarlierWindow and(EarlierWindow other) {
    return new EarlierWindow(
        Math.min(max, other.max),
        Math.min(length, other.length),
        Math.max(nanos, other.nanos),
        of,
        whole,
        Math.max(unansweredNanos, other.unansweredNanos),
        counted,
        until - other.until >= 0 ? until : other.until);
  }

  /** Returns whether nothing counts any more; if ends count, only the open requests can tell. */
  private boolean isOver(long now) {
    return !whole && now - until >= nanos;
  }

  /**
   * Merges the two windows nearest in length into one that is as strict as both, if they are
   * equally long or there are too many windows; returns false if it merged none.
   */
  private static boolean mergeNearest(List<EarlierWindow> windows) {
    windows.sort(
        Comparator.comparing((EarlierWindow window) -> window.of.toString())
            .thenComparing(EarlierWindow::whole)
            .thenComparing(EarlierWindow::counted)
            .thenComparing(EarlierWindow::nanos));
    int best = -1;
    double least = windows.size() > MOST ? Double.MAX_VALUE : Math.nextUp(1.0);
    for (int i = 0; i + 1 < windows.size(); i++) {
      double distance = windows.get(i).distance(windows.get(i + 1));
      if (distance < least) {
        best = i;
        least = distance;
      }
    }
    if (best >= 0) {
      windows.set(best, windows.get(best).and(windows.remove(best + 1)));
    }
    return best >= 0;
  }

  private double distance(EarlierWindow longer) {
    return isLike(longer) ? (double) longer.nanos / nanos : Double.MAX_VALUE;
  }

  /** Returns whether {@code limit} itself guarantees that this window never delays a request. */
  boolean isKeptBy(Limit limit) {
    return of(limit, until).stream()
        .anyMatch(window -> window.covers(this) && window.unansweredNanos >= unansweredNanos);
  }

  Meter newMeter(long now) {
    Measure measure = of.entry() == Measure.Entry.CALLS ? Measure.PLAIN : of;
    var window = new Window(new Rate(Math.min(max, nanos), nanos), measure);
    Limit limit =
        whole
            ? new Peer(window, unansweredNanos, counted, Meter.NEVER, Margin.NONE, false)
            : window;
    return limit.newMeter(now);
  }
}
