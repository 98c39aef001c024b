package dev.pacegate.audit;

import dev.pacegate.limit.Promise;
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
 * @param found what was measured, in words, such as {@code most: 4 within 950ms}
 * @param tightest the strictest promise of this kind that was kept: the smallest limit that would
 *     have held, in whole permits. For a bucket it is the one that needs no allowance for slack or
 *     for costs above the burst. If nothing was counted it is the promise itself. Of windows of
 *     their own it is one that would have held, not the smallest
 */
public record Verdict(
    Promise promise, boolean kept, long measured, Stretch where, String found, Promise tightest) {

  /** Replaces what nothing was counted of. */
  public Verdict {
    tightest = where.isEmpty() ? promise : tightest;
  }

  /**
   * Returns a line such as {@code broken: at most 3 in any 1s}, and if anything was counted two
   * more: what was found and where, and what would have held. Instants are in nanoseconds.
   */
  public String text() {
    return text(Long::toString);
  }

  /** Returns the lines of {@link #text()} with instants as {@code instants} writes them. */
  public String text(LongFunction<String> instants) {
    String line = (kept ? "kept: " : "broken: ") + promise.text();
    return where.isEmpty()
        ? line
        : line + "\n  " + found(instants) + "\n  would have held: " + tightest.text();
  }

  /** Returns what was found and where, such as {@code smallest gap: 300ms, from 0.9 to 1.2}. */
  public String found(LongFunction<String> instants) {
    return where.isEmpty() ? "nothing to count" : found + where.text(instants);
  }
}
