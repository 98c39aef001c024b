package dev.pacegate.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.pacegate.cli.LogDates.Shape;
import java.time.Instant;
import java.time.LocalDate;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Parses and formats instants of logs, in nanoseconds since 1970, exactly.
 *
 * <p>They are {@linkplain LogDates dates with a time} or numbers of a unit since 1970 ({@code
 * 1769860800.123}; no comma, which separates columns). Not thread-safe.
 */
final class Instants {

  /** Thrown for a text that is no instant. */
  static final class BadInstant extends Exception {
    BadInstant(String problem) {
      super(problem);
    }
  }

  /** The unit of numbers. */
  enum Unit {
    S(1_000_000_000, 9),
    MS(1_000_000, 6),
    US(1_000, 3),
    NS(1, 0);

    private final long nanos;
    private final int decimals;

    Unit(long nanos, int decimals) {
      this.nanos = nanos;
      this.decimals = decimals;
    }
  }

  private static final long SECOND = Unit.S.nanos;

  private final Unit unit;
  private final LogDates dates;
  private final @Nullable TimeFormat format;
  private final TextCursor in = new TextCursor();
  private boolean dated;

  /**
   * Creates a parser.
   *
   * @param unit of numbers
   * @param today is about the last day of a log without years
   */
  Instants(Unit unit, LocalDate today) {
    this(unit, today, null);
  }

  /**
   * Creates a parser.
   *
   * @param format null if all that are known are tried
   */
  Instants(Unit unit, LocalDate today, @Nullable TimeFormat format) {
    this.unit = unit;
    this.dates = new LogDates(today);
    this.format = format;
  }

  /** Returns how instants are written; null if all formats that are known are tried. */
  @Nullable TimeFormat format() {
    return format;
  }

  /**
   * Parses an instant that begins at {@code from}.
   *
   * @throws BadInstant if there is none, or it does not reach to {@code to}
   */
  long parse(byte[] text, int from, int to) throws BadInstant {
    in.begin(text, from, to);
    try {
      if (format != null) {
        dated = true;
        return format.parse(new String(text, from, to - from, UTF_8));
      }
      Shape shape = LogDates.shape(text, from, to);
      long nanos = shape == null ? number() : date(shape);
      if (!in.isAtEnd()) {
        throw new BadInstant("has something behind the instant (see --column and --time-format)");
      }
      return nanos;
    } catch (ArithmeticException e) {
      throw new BadInstant("is outside of the years 1678 to 2261" + hint());
    }
  }

  private String hint() {
    return dated || unit != Unit.S ? "" : " (see --unit)";
  }

  private long date(Shape shape) throws BadInstant {
    dated = true;
    long seconds = dates.seconds(shape, in);
    long fraction = in.fraction(9, true);
    return Math.addExact(Math.multiplyExact(seconds - in.zone(), SECOND), fraction);
  }

  private long number() throws BadInstant {
    boolean negative = in.skip('-');
    int digits = in.at();
    long whole = 0;
    while (in.isAtDigit()) {
      whole = Math.addExact(Math.multiplyExact(whole, 10), in.next() - '0');
    }
    if (in.at() == digits) {
      throw new BadInstant("is no instant");
    }
    long fraction = in.fraction(unit.decimals, false);
    long nanos = Math.addExact(Math.multiplyExact(whole, unit.nanos), fraction);
    return negative ? -nanos : nanos;
  }

  /** Formats an instant as the parsed ones were written. */
  String format(long nanos) {
    if (dated) {
      return Instant.ofEpochSecond(Math.floorDiv(nanos, SECOND), Math.floorMod(nanos, SECOND))
          .toString();
    }
    String digits = String.format(Locale.ROOT, "%0" + (unit.decimals + 1) + "d", Math.abs(nanos));
    int point = digits.length() - unit.decimals;
    String fraction = digits.substring(point).replaceAll("0+$", "");
    return (nanos < 0 ? "-" : "")
        + digits.substring(0, point)
        + (fraction.isEmpty() ? "" : "." + fraction);
  }
}
