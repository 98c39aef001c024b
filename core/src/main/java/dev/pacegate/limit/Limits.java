package dev.pacegate.limit;

import static java.util.Objects.requireNonNull;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.TemporalAmount;
import java.util.List;
import java.util.stream.Stream;

/**
 * Creates limits: from text, or one method for each kind.
 *
 * <p>A number of permits is 1 or more, and at most one for each nanosecond of its interval. A
 * duration is from 1 ns to a hundred years; that of a warm-up may be 0. Other values throw {@link
 * IllegalArgumentException}, which names the value and what is allowed. Thread-safe, as limits are
 * immutable.
 */
@CheckReturnValue
public final class Limits {

  private Limits() {}

  /**
   * Parses a limit, for example {@code "10/1m & concurrent(4)"}.
   *
   * @throws LimitFormatException if the text is no limit; the message names the column and what is
   *     expected there
   */
  public static Limit parse(String text) {
    return Grammar.parse(text);
  }

  /** Returns the form of every kind of limit. */
  public static List<LimitForm> forms() {
    return Grammar.forms();
  }

  /** Returns every option of limits. */
  public static List<LimitForm.Option> options() {
    return Stream.of(Option.values()).map(Option::option).toList();
  }

  /** Begins a sliding window: {@code Limits.atMost(10).inAny(ofMinutes(1))} is {@code 10/1m}. */
  public static WindowStart atMost(long max) {
    return interval -> Window.of(Rate.of(max, interval));
  }

  /** Returns a token bucket of burst 1 that is refilled by {@code permits} per {@code interval}. */
  public static Bucket bucket(long permits, Duration interval) {
    return Bucket.of(Rate.of(permits, interval));
  }

  /** Returns a rate that is reached gradually, after {@code over} at full speed. */
  public static Warmup warmup(long permits, Duration interval, Duration over) {
    return Warmup.of(Rate.of(permits, interval), Spans.nanos("over", over));
  }

  /** Returns the limit that keeps two starts at least {@code gap} apart. */
  public static Spacing spacing(Duration gap) {
    return new Spacing(Spans.nanos("gap", gap));
  }

  /**
   * Returns fixed windows of the limiter's own, of {@code permits} per {@code interval}: see {@link
   * Fixed} for what that does not promise.
   */
  public static Fixed fixed(long permits, Duration interval) {
    return Fixed.of(Rate.of(permits, interval));
  }

  /**
   * Returns a limit on windows of the calendar, in UTC by default, as the peer counts them.
   *
   * @param length for example {@code ofMinutes(1)}, {@code ofDays(1)} or {@code Period.ofMonths(1)}
   */
  public static Aligned aligned(long max, TemporalAmount length) {
    return Aligned.of(max, CalendarWindows.of(CalendarLength.of(length)));
  }

  /** Returns a limit on windows, one of which begins at {@code origin}, as the peer counts them. */
  public static Aligned aligned(long max, TemporalAmount length, Instant origin) {
    return Aligned.of(max, CalendarWindows.of(CalendarLength.of(length), requireNonNull(origin)));
  }

  /** Returns the limit of at most {@code max} open requests. */
  public static Concurrent concurrent(long max) {
    return new Concurrent(max);
  }

  /** Returns the limit that lets every request through. */
  public static Limit unlimited() {
    return Unlimited.INSTANCE;
  }

  /**
   * Returns {@code limit} as the peer counts it: a window, a bucket, a spacing, or several of them.
   *
   * @throws IllegalArgumentException if it is anything else
   */
  public static Limit peer(Limit limit) {
    return Peer.of(limit);
  }

  /**
   * Returns {@code limit}, stating that it counts starts where {@link Peer} would be the default.
   */
  public static Limit starts(Limit limit) {
    return new Starts(limit);
  }

  /** The beginning of a sliding window: see {@link Limits#atMost}. */
  @FunctionalInterface
  public interface WindowStart {

    /** Completes the window with its length. */
    Window inAny(Duration interval);
  }
}
