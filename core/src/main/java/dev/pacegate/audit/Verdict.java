package dev.pacegate.audit;

import dev.pacegate.limit.Promise;
import dev.pacegate.time.Durations;
import java.util.function.LongFunction;

/**
 * Whether a promise was kept, how close it came, and where.
 *
 * <p>What is measured depends on the promise:
 *
 * <ul>
 *   <li>at most M in any interval: the most in any, and the first interval that had it, from its
 *       first to its last release (as the peer counts: from the earliest end, or else the last
 *       start, to the last start);
 *   <li>at most M per window of its own: the most by which any stretch exceeds M for each whole I
 *       that it lasts, of which 2 M is allowed; and the first stretch that does;
 *   <li>at most M in each window of a calendar: the most that touched any, and the first window
 *       that had it, from its beginning to its end;
 *   <li>a bucket: the realised burst, the least B for which every interval W holds at most {@code B
 *       + W / T}, rounded up; and the stretch that takes it, or if the promise was broken the
 *       stretch that is most above what it allows. These differ only if there are costs above the
 *       burst: they allow more only in the intervals they are in, so {@code kept} may be false
 *       though the burst is no more than the largest cost of the log;
 *   <li>a gap: the smallest in nanoseconds, {@link Long#MAX_VALUE} if there were no two starts, and
 *       the two instants it lies between; as the peer counts it is negative if one started before
 *       another had ended;
 *   <li>at most N open: the most that were, and the instant of the start that made it so many.
 * </ul>
 *
 * @param promise what was promised
 * @param kept whether it was kept
 * @param measured how far it went; saturates at {@link Long#MAX_VALUE}
 * @param where the first stretch that went so far; empty if nothing was counted
 * @param windows how many fixed windows were too full, if a promise of starts in any interval was
 *     broken; otherwise none
 */
public record Verdict(
    Promise promise, boolean kept, long measured, Stretch where, FixedWindows windows) {

  /**
   * Returns the strictest promise of this kind that was kept: the smallest limit that would have
   * held, in whole permits. For a bucket it is the one that needs no allowance for slack or for
   * costs above the burst. If nothing was counted it is the promise itself.
   *
   * <p>Of windows of its own it is one that would have held, not the smallest, which cannot be told
   * without remembering the whole log: the promise itself if it was kept, or else half of what was
   * measured, rounded up. That is enough: no stretch holds more than what was measured and M for
   * each whole I, and M is less than that half.
   */
  public Promise tightest() {
    if (where.isEmpty()) {
      return promise;
    }
    if (promise instanceof Promise.AtMost p) {
      return new Promise.AtMost(measured, p.nanos(), p.of(), p.countsWhole());
    }
    if (promise instanceof Promise.PerCalendar p) {
      return new Promise.PerCalendar(measured, p.windows(), p.marginNanos(), p.of());
    }
    if (promise instanceof Promise.PerWindow p) {
      boolean beyond = measured == Long.MAX_VALUE;
      long half = beyond ? measured : measured / 2 + measured % 2;
      return new Promise.PerWindow(Math.max(p.max(), half), p.nanos(), p.of());
    }
    if (promise instanceof Promise.Refilled p) {
      return new Promise.Refilled(measured, p.rate(), 0, p.of(), p.countsWhole());
    }
    if (promise instanceof Promise.Gap p) {
      return new Promise.Gap(measured, p.countsWhole());
    }
    var open = (Promise.Open) promise;
    return new Promise.Open(measured, open.of(), open.unansweredNanos());
  }

  /**
   * Returns a line such as {@code broken: at most 3 in any 1s: most 4, first within 950ms from 50},
   * instants in nanoseconds.
   */
  public String text() {
    return text(Long::toString);
  }

  /** Returns the line of {@link #text()} with instants as {@code instants} writes them. */
  public String text(LongFunction<String> instants) {
    String found = where.isEmpty() ? "nothing to count" : found() + instants.apply(where.from());
    return (kept ? "kept: " : "broken: ") + promise.text() + ": " + found + windowsText();
  }

  private String found() {
    if (promise instanceof Promise.AtMost) {
      return "most " + measured + ", first " + within() + " from ";
    }
    if (promise instanceof Promise.PerCalendar) {
      return "most " + measured + ", first in the window from ";
    }
    if (promise instanceof Promise.PerWindow p) {
      return "most "
          + measured
          + " beyond "
          + p.max()
          + " per whole "
          + Durations.format(p.nanos())
          + ", "
          + where.counted()
          + " "
          + within()
          + " from ";
    }
    if (promise instanceof Promise.Refilled p) {
      return "burst "
          + where.burst(p.rate()).toPlainString()
          + ", "
          + where.counted()
          + " "
          + within()
          + " from ";
    }
    if (promise instanceof Promise.Gap) {
      return "smallest gap " + Durations.format(measured) + ", first after ";
    }
    return "most " + measured + ", first at ";
  }

  private String within() {
    return "within " + Durations.format(where.nanos());
  }

  private String windowsText() {
    if (windows.broken() == 0) {
      return "";
    }
    String many = windows.broken() == 1 ? "1 fixed window" : windows.broken() + " fixed windows";
    return "; too many in " + many + " at phase " + Durations.format(windows.phase());
  }
}
