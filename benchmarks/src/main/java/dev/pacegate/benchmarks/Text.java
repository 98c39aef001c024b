package dev.pacegate.benchmarks;

import dev.pacegate.limit.Limits;
import java.time.Duration;
import java.util.Locale;

/** A page of Markdown that is being written, with claims that have been checked. */
public final class Text {

  private final StringBuilder text = new StringBuilder();
  private int claims;
  private int failed;
  private final StringBuilder surprises = new StringBuilder();

  @Override
  public String toString() {
    return text.toString();
  }

  /** Returns how many claims have been made. */
  public int claims() {
    return claims;
  }

  /** Returns how many claims did not hold. */
  public int failed() {
    return failed;
  }

  /** Returns what was expected and was not so, a line each. */
  public String surprises() {
    return surprises.toString();
  }

  /** Writes lines. */
  public Text lines(String... lines) {
    for (String line : lines) {
      text.append(line).append('\n');
    }
    return this;
  }

  /** Begins a table. */
  public Text table(String... columns) {
    lines("");
    row((Object[]) columns);
    return lines("|---".repeat(columns.length) + "|");
  }

  /** Begins a table of numbers with a word in front. */
  public Text numbers(String... columns) {
    lines("");
    row((Object[]) columns);
    return lines("|---" + "|--:".repeat(columns.length - 1) + "|");
  }

  /** Writes a row of a table. */
  public Text row(Object... cells) {
    for (Object cell : cells) {
      text.append("| ").append(cell).append(' ');
    }
    return lines("|");
  }

  /** Writes a claim, and whether it is true. */
  public Text claim(boolean holds, String claim) {
    claims++;
    failed += holds ? 0 : 1;
    return lines("- " + claim + (holds ? " (confirmed)." : " (**not confirmed**)."));
  }

  /** Notes {@code otherwise} among the surprises if it is not so. */
  public void expect(boolean so, String otherwise) {
    if (!so) {
      surprises.append("- **").append(otherwise).append("**\n");
    }
  }

  /** Returns a limit as code, having read it: what this page recommends can be typed. */
  public static String limit(String limit) {
    return code(Limits.parse(limit) == null ? "" : limit);
  }

  /** Returns what is said of a text that is no limit. */
  public static String error(String noLimit) {
    try {
      return "a limit after all: " + limit(noLimit);
    } catch (IllegalArgumentException expected) {
      return code(String.valueOf(expected.getMessage()));
    }
  }

  /** Returns a text as code. */
  public static String code(String code) {
    return "`" + code + "`";
  }

  /** Returns a number with its thousands apart. */
  public static String number(long value) {
    return format("%,d", value).replace(',', ' ');
  }

  /** Returns a wait in seconds. */
  public static String seconds(Duration wait) {
    return format("%.2f", wait.toNanos() / 1e9);
  }

  /** Returns nanoseconds as milliseconds. */
  public static String millis(double nanos) {
    return format("%.0f ms", nanos / 1e6);
  }

  /** Formats a text, whatever the machine's language. */
  public static String format(String pattern, Object... values) {
    return String.format(Locale.ROOT, pattern, values);
  }
}
