package dev.pacegate.history;

import dev.pacegate.limit.Limit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Predicate;

/** The windows of all limits that were replaced since a log began. Immutable. */
final class EarlierWindows {

  /** How many windows alike are kept; more are merged into stricter ones. */
  static final int MOST = 8;

  static final EarlierWindows NONE = new EarlierWindows(List.of(), 0);

  private final List<EarlierWindow> windows; // as they hold under the limit in force
  private final long unanswered; // the longest of all limits

  private EarlierWindows(List<EarlierWindow> windows, long unanswered) {
    this.windows = windows;
    this.unanswered = unanswered;
  }

  List<EarlierWindow> all() {
    return windows;
  }

  /** Returns the longest time after its start at which a lost request may be counted. */
  long unanswered() {
    return unanswered;
  }

  /** Returns the windows that matter once {@code old} is replaced by {@code next}. */
  EarlierWindows after(Limit old, Limit next, long now) {
    long longest = Math.max(unanswered, EarlierWindow.unanswered(old));
    long span = Math.max(longest, EarlierWindow.unanswered(next));
    var all = new ArrayList<EarlierWindow>();
    var known = new ArrayList<>(windows);
    known.addAll(EarlierWindow.of(old, now));
    known.forEach(window -> all.addAll(window.unanswered(span).orLargerOf(next)));
    all.removeIf(window -> window.isOver(now));
    prune(all);
    merge(all);
    return new EarlierWindows(List.copyOf(all), span);
  }

  /** Returns the windows that {@code next}, which replaces {@code old}, does not keep by itself. */
  List<EarlierWindow> besides(Limit old, Limit next, long now) {
    List<EarlierWindow> kept = EarlierWindow.keptBy(next, old, now);
    var besides = new ArrayList<>(windows);
    for (EarlierWindow own : EarlierWindow.of(next, now)) {
      besides.addAll(kept.contains(own) ? longerThan(own, old) : own.orLargerOf(old));
    }
    besides.removeIf(window -> kept.stream().anyMatch(own -> own.replaces(window)));
    prune(besides);
    return besides;
  }

  /** Returns the window of the limit in force for lost requests that count for longer there. */
  private List<EarlierWindow> longerThan(EarlierWindow own, Limit old) {
    boolean isLonger = !own.view().endsByItself() && own.unansweredNanos() < unanswered;
    return isLonger ? own.unanswered(unanswered).orLargerOf(old) : List.of();
  }

  /**
   * Returns these when a request is sent that one of their limits let through. From then on it is
   * known by that instant, as are some that later limits let through: they count as well.
   */
  EarlierWindows sent(long now) {
    return renewed(View::isWhole, now);
  }

  /** Returns these when a request that one of their limits let through is charged again. */
  EarlierWindows startedLate(long now) {
    return renewed(view -> !view.isWhole(), now);
  }

  private EarlierWindows renewed(Predicate<View> which, long now) {
    return new EarlierWindows(
        windows.stream()
            .map(window -> which.test(window.view()) ? window.renewed(now) : window)
            .toList(),
        unanswered);
  }

  private static void prune(List<EarlierWindow> windows) {
    for (int i = windows.size() - 1; i >= 0; i--) {
      EarlierWindow window = windows.remove(i);
      if (windows.stream().noneMatch(other -> other.alwaysReplaces(window))) {
        windows.add(i, window);
      }
    }
  }

  /** Merges windows alike while there are too many of them, those nearest in length first. */
  private static void merge(List<EarlierWindow> windows) {
    windows.sort(
        Comparator.comparing((EarlierWindow window) -> window.view().of().toString())
            .thenComparing(window -> window.view().isWhole())
            .thenComparing(window -> window.view().endsByItself())
            .thenComparing(EarlierWindow::nanos)
            .thenComparing(window -> window.view().bound()));
    for (int from = 0; from < windows.size(); ) {
      int to = from + 1;
      while (to < windows.size() && windows.get(from).view().isLike(windows.get(to).view())) {
        to++;
      }
      List<EarlierWindow> alike = windows.subList(from, to);
      while (alike.size() > MOST) {
        mergeNearest(alike);
      }
      from += alike.size();
    }
  }

  private static void mergeNearest(List<EarlierWindow> alike) {
    int best = 0;
    for (int i = 1; i + 1 < alike.size(); i++) {
      boolean nearer =
          alike.get(i).distance(alike.get(i + 1)) < alike.get(best).distance(alike.get(best + 1));
      best = nearer ? i : best;
    }
    alike.set(best, alike.get(best).mergedWith(alike.remove(best + 1)));
  }
}
