package dev.pacegate.audit;

import static java.util.Objects.requireNonNull;

import dev.pacegate.limit.Promise;
import java.util.function.LongFunction;

/**
 * The verdict on one promise: whether it was kept, how close it came, and where.
 *
 * <p>The measured value depends on the promise:
 *
 * <ul>
 *   <li>at most M in any interval: the most in any, and the first interval that had it, from its
 *       first to its last release (as the peer counts: from the earliest end, or else the last
 *       start, to the last start);
 *   <li>at most M per window of the limiter's own: the most by which any stretch exceeds M for each
 *       whole I that it lasts, of which 2 M is allowed; and the first stretch that does;
 *   <li>at most M in each window of the calendar: the most that overlapped any, and the first
 *       window that had it, from its beginning to its end;
 *   <li>a bucket: the realised burst, the least B for which every interval W holds at most {@code B
 *       + W / T}, rounded up; and the stretch that takes it, or if the promise was broken the
 *       stretch that is most above the limit. These differ only if there are costs above the burst:
 *       they allow more only in the intervals they are in, so {@code kept} may be false though the
 *       burst is no more than the largest cost of the log;
 *   <li>a gap: the smallest in nanoseconds, {@link Long#MAX_VALUE} if there were no two starts, and
 *       the two instants it lies between; as the peer counts it is negative if one started before
 *       another had ended;
 *   <li>at most N open: the most that were open, and the instant of the start that reached it;
 *   <li>of a kind of your own: what its {@link PromiseCheck} says.
 * </ul>
 *
 * @param promise the promise
 * @param kept whether it was kept
 * @param measured the measured value; saturates at {@link Long#MAX_VALUE}
 * @param where the first stretch with that value; empty if nothing was counted
 * @param found the measured value in words, such as {@code most: 4 within 950ms}
 * @param tightest the strictest promise of this kind that was kept: the smallest limit that would
 *     have held, in whole permits. For a bucket it is the one that needs no allowance for slack or
 *     for costs above the burst. For windows of the limiter's own it would have held, but may not
 *     be the smallest. If nothing was counted it is the promise itself
 */
public record Verdict(
    Promise promise, boolean kept, long measured, Stretch where, String found, Promise tightest) {

  /** Replaces the measured value if nothing was counted; no component may be null. */
  public Verdict {
    requireNonNull(promise);
    requireNonNull(found);
    requireNonNull(tightest);
    tightest = where.isEmpty() ? promise : tightest;
  }

  /**
   * Returns a line such as {@code broken: at most 3 in any 1s}, and if anything was counted two
   * more lines: the measured value with its position, and the limit that fits, which is {@code
   * tightest}. Instants are in nanoseconds.
   */
  public String text() {
    return text(Long::toString);
  }

  /** Returns the lines of {@link #text()} with instants formatted by {@code instants}. */
  public String text(LongFunction<String> instants) {
    String line = (kept ? "kept: " : "broken: ") + promise.text();
    return where.isEmpty()
        ? line
        : line + "\n  " + found(instants) + "\n  limit that fits: " + tightest.text();
  }

  /**
   * Returns the measured value with its position, such as {@code smallest gap: 300ms, from 0.9 to
   * 1.2}.
   */
  public String found(LongFunction<String> instants) {
    return where.isEmpty() ? "nothing to count" : found + where.text(instants);
  }
}
