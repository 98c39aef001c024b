package dev.pacegate.benchmarks.classics;

import dev.pacegate.limit.Limit;
import java.time.Duration;
import java.util.Locale;

/** A page of Markdown that is being written, with claims that have been checked. */
final class Text {

  private final StringBuilder text = new StringBuilder();
  private int claims;
  private int failed;

  @Override
  public String toString() {
    return text.toString();
  }

  int claims() {
    return claims;
  }

  int failed() {
    return failed;
  }

  Text lines(String... lines) {
    for (String line : lines) {
      text.append(line).append('\n');
    }
    return this;
  }

  /** Begins a table. */
  Text table(String... columns) {
    lines("");
    row((Object[]) columns);
    return lines("|---".repeat(columns.length) + "|");
  }

  Text row(Object... cells) {
    for (Object cell : cells) {
      text.append("| ").append(cell).append(' ');
    }
    return lines("|");
  }

  /** Writes a claim, and whether it is true. */
  Text claim(boolean holds, String claim) {
    claims++;
    failed += holds ? 0 : 1;
    return lines("- " + claim + (holds ? ": holds." : ": **does not hold.**"));
  }

  /** Returns a limit as code, having read it: what this page recommends can be typed. */
  static String limit(String limit) {
    return code(Limit.parse(limit) == null ? "" : limit);
  }

  /** Returns what is said of a text that is no limit. */
  static String error(String noLimit) {
    try {
      return "a limit after all: " + limit(noLimit);
    } catch (IllegalArgumentException expected) {
      return code(String.valueOf(expected.getMessage()));
    }
  }

  static String code(String code) {
    return "`" + code + "`";
  }

  static String number(long value) {
    return format("%,d", value).replace(',', ' ');
  }

  static String seconds(Duration wait) {
    return format("%.2f", wait.toNanos() / 1e9);
  }

  static String millis(double nanos) {
    return format("%.0f ms", nanos / 1e6);
  }

  static String format(String pattern, Object... values) {
    return String.format(Locale.ROOT, pattern, values);
  }
}
