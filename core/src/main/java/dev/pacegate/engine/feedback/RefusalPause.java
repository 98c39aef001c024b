package dev.pacegate.engine.feedback;

import dev.pacegate.Backoff;
import dev.pacegate.PeerAnswer;
import dev.pacegate.Quota;
import dev.pacegate.limit.Limit;
import dev.pacegate.limit.Promise;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * How long requests are paused after a refusal.
 *
 * @param nanos how long
 * @param source what states it; empty if the peer does not
 */
record RefusalPause(long nanos, String source) {

  private static final long DAY = TimeUnit.DAYS.toNanos(1);
  private static final long MINUTE = TimeUnit.MINUTES.toNanos(1);
  private static final int PAUSES = 5; // the first pause lasts at most a fifth of an interval

  /**
   * Returns the pause after a refusal: what it asks for; else until the reset of a quota that is
   * used up; else what {@code backoff} says, bounded by the window of such a quota.
   *
   * @param rate that of the term that the refusal is about, if it has one
   * @param streak doubles a pause that is not stated, if it may
   */
  static RefusalPause of(
      Limit limit,
      PeerAnswer answer,
      Backoff backoff,
      @Nullable WorkingRate rate,
      RefusalStreak streak,
      long now) {
    long longest = backoff.longest().map(RefusalPause::nanos).orElseGet(() -> longest(limit));
    long longestStated = backoff.longest().isPresent() ? longest : DAY;
    Optional<RefusalPause> asked =
        answer
            .retryAfter()
            .filter(RefusalPause::isLater)
            .map(wait -> bounded(wait, longestStated, answer.source()));
    return asked
        .or(() -> untilReset(answer, quota -> QuotaReconciler.names(limit, quota), longestStated))
        .or(() -> untilReset(answer, quota -> true, longest))
        .orElseGet(() -> unstated(answer, backoff, longest, rate, streak, now));
  }

  /** A peer that refuses and asks for no pause has rounded, or its clock differs. */
  static boolean isLater(Duration wait) {
    return wait.compareTo(Duration.ZERO) > 0;
  }

  private static Optional<RefusalPause> untilReset(
      PeerAnswer answer, Predicate<Quota> heeded, long longest) {
    return answer.quotas().stream()
        .filter(RefusalPause::mayBeUsedUp)
        .filter(quota -> quota.reset().filter(RefusalPause::isLater).isPresent())
        .filter(heeded)
        .map(quota -> bounded(quota.reset().orElseThrow(), longest, source(quota)))
        .max((a, b) -> Long.compare(a.nanos, b.nanos));
  }

  /** A refusal that states a reset, and not how much is left, means that nothing is. */
  private static boolean mayBeUsedUp(Quota quota) {
    if (quota.remaining().isPresent()) {
      return QuotaReconciler.isUsedUp(quota);
    }
    OptionalLong used = quota.used();
    return used.isEmpty()
        || (quota.limit().isPresent() && used.getAsLong() >= quota.limit().getAsLong());
  }

  /** Returns the longest window of the quotas that are used up; endless if none is stated. */
  private static long window(PeerAnswer answer) {
    return answer.quotas().stream()
        .filter(QuotaReconciler::isUsedUp)
        .flatMap(quota -> quota.window().filter(RefusalPause::isLater).stream())
        .mapToLong(RefusalPause::nanos)
        .max()
        .orElse(Long.MAX_VALUE);
  }

  /** Returns the pause, after a request that was accepted, until a quota is reset. */
  static RefusalPause untilReset(Limit limit, Quota quota, long wait, Backoff backoff) {
    long longest = backoff.longest().map(RefusalPause::nanos).orElse(Long.MAX_VALUE);
    return new RefusalPause(Math.min(wait, Math.min(longest, longest(limit))), source(quota));
  }

  private static RefusalPause unstated(
      PeerAnswer answer,
      Backoff backoff,
      long longest,
      @Nullable WorkingRate rate,
      RefusalStreak streak,
      long now) {
    long usual = Math.min(nanos(backoff.pause()), longest);
    if (!backoff.learns() || usual == 0) {
      return new RefusalPause(usual, "");
    }
    long first = rate == null ? usual : Math.min(usual, Math.max(1, rate.interval() / PAUSES));
    long pause = streak.pause(first, longest);
    return new RefusalPause(streak.within(window(answer), first, pause, now), "");
  }

  /** Returns what states a pause until the reset of a quota. */
  private static String source(Quota quota) {
    return quota.name().isEmpty() ? "its reset" : "reset of " + quota.name();
  }

  private static RefusalPause bounded(Duration wait, long longest, String source) {
    return new RefusalPause(Math.min(nanos(wait), longest), source);
  }

  /**
   * Returns the longest pause that a refusal does not state itself: the limit's longest interval,
   * at least a minute and at most ten.
   */
  private static long longest(Limit limit) {
    long interval = limit.promises().stream().mapToLong(Promise::interval).max().orElse(0);
    return Math.max(MINUTE, Math.min(interval, 10 * MINUTE));
  }

  static long nanos(Duration span) {
    try {
      return span.toNanos();
    } catch (ArithmeticException centuries) {
      return Long.MAX_VALUE;
    }
  }
}
