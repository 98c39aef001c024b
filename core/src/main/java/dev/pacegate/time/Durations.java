package dev.pacegate.time;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Duration;
import java.util.List;

/**
 * Parses and formats durations as Pacegate writes them: {@code 100ms}, {@code 1m}, {@code 1h30m}.
 *
 * <p>Units are {@code ns us ms s m min h d}; {@code m} is a minute. A unit without a number counts
 * one ({@code s} is {@code 1s}), digits may be grouped ({@code 1_000ms}), larger units come first.
 * All values are exact in nanoseconds, from 0 to {@value #MAX_DAYS} days.
 */
public final class Durations {

  /** The longest duration, in days: a hundred years. */
  public static final long MAX_DAYS = 36_500;

  private static final Duration LONGEST = Duration.ofNanos(Long.MAX_VALUE);

  private static final BigInteger MAX_NANOS =
      BigInteger.valueOf(MAX_DAYS).multiply(BigInteger.valueOf(DurationUnit.D.nanos));

  private enum DurationUnit {
    D("d", 86_400_000_000_000L),
    H("h", 3_600_000_000_000L),
    MIN("min", 60_000_000_000L),
    M("m", 60_000_000_000L),
    S("s", 1_000_000_000L),
    MS("ms", 1_000_000L),
    US("us", 1_000L),
    NS("ns", 1L);

    final String text;
    final long nanos;

    DurationUnit(String text, long nanos) {
      this.text = text;
      this.nanos = nanos;
    }
  }

  private Durations() {}

  /**
   * Parses a duration.
   *
   * @throws IllegalArgumentException if {@code text} is no duration; the message says what is wrong
   */
  public static Duration parse(String text) {
    return Duration.ofNanos(parseNanos(text));
  }

  /**
   * Parses a duration to nanoseconds, from 0 to a hundred years.
   *
   * @throws IllegalArgumentException if {@code text} is no duration; the message says what is wrong
   */
  public static long parseNanos(String text) {
    BigInteger sum = BigInteger.ZERO;
    long smallest = Long.MAX_VALUE;
    int at = 0;
    do {
      int number = at;
      while (at < text.length() && isDigit(text.charAt(at))) {
        at++;
      }
      int name = at;
      while (at < text.length() && Character.isLetter(text.charAt(at))) {
        at++;
      }
      DurationUnit unit = unit(text, name, at);
      if (unit.nanos >= smallest) {
        throw new IllegalArgumentException(
            quote(text) + ": units go from large to small, each once");
      }
      smallest = unit.nanos;
      sum = sum.add(number(text, number, name).multiply(BigInteger.valueOf(unit.nanos)));
    } while (at < text.length());
    if (sum.compareTo(MAX_NANOS) > 0) {
      throw new IllegalArgumentException(quote(text) + " is too long: at most " + MAX_DAYS + "d");
    }
    return sum.longValueExact();
  }

  /**
   * Formats a duration in the largest unit that holds it exactly; {@link #parse} reads it back.
   *
   * @throws IllegalArgumentException if it is longer than 292 years
   */
  public static String format(Duration duration) {
    if (!fits(duration)) {
      throw new IllegalArgumentException("too long to format: " + decimal(duration));
    }
    return format(duration.toNanos());
  }

  /** Formats nanoseconds in the largest unit that holds them exactly. */
  public static String format(long nanos) {
    if (nanos == 0) {
      return "0s";
    }
    for (DurationUnit unit : DurationUnit.values()) {
      if (unit != DurationUnit.MIN && nanos % unit.nanos == 0) {
        return nanos / unit.nanos + unit.text;
      }
    }
    throw new AssertionError(nanos);
  }

  /** Formats nanoseconds exactly, for people to read: 1h30m, 1m1.437s, 1.2s, 950ms, 1.5us. */
  public static String decimal(long nanos) {
    if (nanos < 0) {
      return "-" + decimal(nanos == Long.MIN_VALUE ? Long.MAX_VALUE : -nanos);
    }
    if (nanos < DurationUnit.US.nanos) {
      return format(nanos);
    }
    if (nanos < DurationUnit.S.nanos) {
      return nanos < DurationUnit.MS.nanos ? decimal(nanos, 3) + "us" : decimal(nanos, 6) + "ms";
    }
    var text = new StringBuilder();
    long rest = nanos;
    for (DurationUnit unit : List.of(DurationUnit.D, DurationUnit.H, DurationUnit.M)) {
      if (rest >= unit.nanos) {
        text.append(rest / unit.nanos).append(unit.text);
        rest %= unit.nanos;
      }
    }
    return text + (rest == 0 ? "" : decimal(rest, 9) + "s");
  }

  /** As {@link #decimal(long)}; what is longer than 292 years, in days. */
  public static String decimal(Duration duration) {
    return fits(duration) ? decimal(duration.toNanos()) : duration.toDays() + DurationUnit.D.text;
  }

  /**
   * Formats nanoseconds for people who need no more than a tenth of a second, cut off: 2d3h, 1m12s,
   * 59.1s, 950ms. {@code format}, which can be parsed, and {@code decimal} are exact.
   */
  public static String brief(long nanos) {
    long size = Math.max(0, nanos);
    if (size >= DurationUnit.D.nanos) {
      return pair(size, DurationUnit.D, DurationUnit.H);
    }
    if (size >= DurationUnit.H.nanos) {
      return pair(size, DurationUnit.H, DurationUnit.M);
    }
    if (size >= DurationUnit.M.nanos) {
      return pair(size, DurationUnit.M, DurationUnit.S);
    }
    if (size >= DurationUnit.S.nanos) {
      long tenths = size / 100_000_000;
      return tenths / 10 + (tenths % 10 == 0 ? "s" : "." + tenths % 10 + "s");
    }
    DurationUnit unit =
        size >= DurationUnit.MS.nanos
            ? DurationUnit.MS
            : size >= DurationUnit.US.nanos ? DurationUnit.US : DurationUnit.NS;
    return size == 0 ? "0s" : size / unit.nanos + unit.text;
  }

  /** As {@link #brief(long)}; more than 292 years count as that, and less than 0 as 0. */
  public static String brief(Duration duration) {
    if (duration.isNegative()) {
      return brief(0);
    }
    return brief(fits(duration) ? duration.toNanos() : Long.MAX_VALUE);
  }

  private static boolean fits(Duration duration) {
    return duration.compareTo(LONGEST) <= 0 && duration.compareTo(LONGEST.negated()) >= 0;
  }

  private static String pair(long nanos, DurationUnit large, DurationUnit small) {
    long rest = nanos % large.nanos / small.nanos;
    return nanos / large.nanos + large.text + (rest == 0 ? "" : rest + small.text);
  }

  private static String decimal(long nanos, int decimals) {
    return BigDecimal.valueOf(nanos, decimals).stripTrailingZeros().toPlainString();
  }

  private static DurationUnit unit(String text, int from, int to) {
    String name = text.substring(from, to);
    for (DurationUnit unit : DurationUnit.values()) {
      if (unit.text.equals(name)) {
        return unit;
      }
    }
    if (to < text.length() && (text.charAt(to) == '.' || text.charAt(to) == ',')) {
      throw new IllegalArgumentException(
          quote(text) + ": decimals are not allowed, use a smaller unit (1500ms, not 1.5s)");
    }
    if (name.isEmpty() && to < text.length()) {
      String found = quote(text.substring(to, to + 1));
      throw new IllegalArgumentException(
          quote(text) + " has " + found + " where a number or a unit belongs, as in 100ms, 1h30m");
    }
    String found = name.isEmpty() ? "no unit" : "unit " + quote(name);
    throw new IllegalArgumentException(
        quote(text) + " has " + found + ", expected one of ns us ms s m min h d");
  }

  private static BigInteger number(String text, int from, int to) {
    if (from == to) {
      return BigInteger.ONE;
    }
    String digits = text.substring(from, to).replace("_", "");
    if (digits.isEmpty()) {
      throw new IllegalArgumentException(quote(text) + " has no digit where a number belongs");
    }
    return new BigInteger(digits);
  }

  private static boolean isDigit(char c) {
    return (c >= '0' && c <= '9') || c == '_';
  }

  private static String quote(String text) {
    return '"' + text + '"';
  }
}
