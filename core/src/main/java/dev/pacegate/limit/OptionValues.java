package dev.pacegate.limit;

import java.math.BigDecimal;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The options of one limit in text. A value that is wrong is reported at its position. */
final class OptionValues {

  private final Grammar grammar;
  private final Lexer in;
  private final Map<Option, String> values = new HashMap<>();
  private final Map<Option, Integer> positions = new HashMap<>();

  OptionValues(Grammar grammar, Lexer in) {
    this.grammar = grammar;
    this.in = in;
  }

  /** Reads an option, one of {@code keys}. */
  void read(List<Option> keys) {
    int position = in.position();
    Option key = key(keys);
    in.expect("=", "and a value");
    if (has(key)) {
      throw in.wrong(position, key.text() + " is given twice");
    }
    positions.put(key, in.position());
    values.put(key, in.value("a value for " + key.text() + ": " + key.range()));
  }

  private Option key(List<Option> keys) {
    if (!in.isWord()) {
      throw in.expected("one of " + list(keys));
    }
    int position = in.position();
    String word = in.word("an option");
    for (Option key : keys) {
      if (key.text().equals(word)) {
        return key;
      }
    }
    throw in.wrong(position, "there is no option \"" + word + "\" here, expected " + list(keys));
  }

  private static String list(List<Option> keys) {
    return String.join(", ", keys.stream().map(Option::text).toList());
  }

  boolean has(Option key) {
    return values.containsKey(key);
  }

  boolean is(Option key, String value) {
    return value.equals(values.get(key));
  }

  /** Throws if {@code key} is given. */
  void refuse(Option key, String why) {
    if (has(key)) {
      throw in.wrong(position(key), why);
    }
  }

  long integer(Option key, long usual) {
    String value = values.get(key);
    return value == null ? usual : grammar.integer(position(key), value);
  }

  /** Returns a duration that must be given. */
  long nanos(Option key) {
    if (!has(key)) {
      throw new IllegalArgumentException(key.text() + " is missing: " + key.meaning());
    }
    return nanos(key, 0);
  }

  long nanos(Option key, long usual) {
    String value = values.get(key);
    return value == null ? usual : grammar.nanos(position(key), value);
  }

  Measure measure() {
    String value = values.get(Option.OF);
    return value == null ? Measure.PLAIN : grammar.measure(position(Option.OF), value);
  }

  // ---- of buckets

  Bucket.Initial initial() {
    String value = values.get(Option.INITIAL);
    if (value == null) {
      return Bucket.Initial.USUAL;
    }
    return switch (value) {
      case "full" -> Bucket.Initial.FULL;
      case "empty" -> Bucket.Initial.EMPTY;
      case "spent" -> Bucket.Initial.SPENT;
      default -> throw isNoneOf(Option.INITIAL);
    };
  }

  Bucket.Oversize oversize() {
    return isOther(Option.OVERSIZE, "wait", "never") ? Bucket.Oversize.NEVER : Bucket.Oversize.WAIT;
  }

  boolean paysLater() {
    return isOther(Option.PAY, "now", "later");
  }

  /** Returns which of two values an option has: whether it is not the usual one. */
  private boolean isOther(Option key, String usual, String other) {
    if (has(key) && !is(key, usual) && !is(key, other)) {
      throw isNoneOf(key);
    }
    return is(key, other);
  }

  /** Returns whether a limit that is no bucket begins with nothing left. */
  boolean spent() {
    if (has(Option.INITIAL) && !is(Option.INITIAL, "spent")) {
      throw isNoneOf(Option.INITIAL);
    }
    return has(Option.INITIAL);
  }

  // ---- of what the peer counts

  /** Returns a share, a duration, or both: {@code 0.1%+1ms}. */
  Margin margin() {
    String value = values.get(Option.MARGIN);
    if (value == null) {
      return Margin.USUAL;
    }
    int position = position(Option.MARGIN);
    int percent = value.indexOf('%');
    if (percent < 0) {
      return new Margin(0, grammar.nanos(position, value));
    }
    long millionths = millionths(position, value.substring(0, percent));
    String rest = value.substring(percent + 1);
    if (rest.isEmpty()) {
      return new Margin(millionths, 0);
    }
    if (!rest.startsWith("+")) {
      throw in.wrong(position, "expected \"+\" between the share and the duration: " + value);
    }
    return new Margin(millionths, grammar.nanos(position + percent + 2, rest.substring(1)));
  }

  private long millionths(int position, String percent) {
    if (!percent.matches("\\d{1,3}([.]\\d{1,4})?")) {
      throw in.wrong(
          position,
          "a share is from 0% to 100%, with at most 4 decimals, not \"" + percent + "%\"");
    }
    return new BigDecimal(percent).movePointRight(4).longValueExact();
  }

  // ---- of windows of the calendar

  ZoneId zone() {
    String value = values.get(Option.ZONE);
    return value == null ? ZoneOffset.UTC : parse(Option.ZONE, value, ZoneId::of);
  }

  CalendarBeginning beginning(CalendarLength length) {
    String value = values.get(Option.AT);
    return value == null
        ? CalendarBeginning.USUAL
        : parse(Option.AT, value, text -> CalendarBeginning.parse(text, length));
  }

  @Nullable Instant origin() {
    String value = values.get(Option.ORIGIN);
    return value == null
        ? null
        : parse(Option.ORIGIN, value, text -> OffsetDateTime.parse(text).toInstant());
  }

  private <T> T parse(Option key, String value, Function<String, T> reader) {
    try {
      return reader.apply(value);
    } catch (DateTimeException wrong) {
      throw isNot(key, " is ");
    } catch (IllegalArgumentException wrong) {
      throw in.wrong(position(key), String.valueOf(wrong.getMessage()));
    }
  }

  // ---- mistakes

  private LimitFormatException isNoneOf(Option key) {
    return isNot(key, " is one of ");
  }

  private LimitFormatException isNot(Option key, String is) {
    return in.wrong(
        position(key), key.text() + is + key.range() + ", not \"" + values.get(key) + '"');
  }

  private int position(Option key) {
    return positions.getOrDefault(key, 0);
  }
}
