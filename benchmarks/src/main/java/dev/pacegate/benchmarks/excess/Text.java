package dev.pacegate.benchmarks.excess;

import java.util.Locale;

/** A page of Markdown that is being written, and what was expected of it and was not so. */
final class Text {

  private final StringBuilder text = new StringBuilder();
  private final StringBuilder failures = new StringBuilder();

  @Override
  public String toString() {
    return text.toString();
  }

  /** Returns what was expected and was not so, a line each. */
  String failures() {
    return failures.toString();
  }

  Text lines(String... lines) {
    for (String line : lines) {
      text.append(line).append('\n');
    }
    return this;
  }

  Text table(String... columns) {
    lines("");
    row((Object[]) columns);
    return lines("|---" + "|--:".repeat(columns.length - 1) + "|");
  }

  Text row(Object... cells) {
    for (Object cell : cells) {
      text.append("| ").append(cell).append(' ');
    }
    return lines("|");
  }

  void expect(boolean so, String otherwise) {
    if (!so) {
      failures.append("- **").append(otherwise).append("**\n");
    }
  }

  static String format(String pattern, Object... values) {
    return String.format(Locale.ROOT, pattern, values);
  }
}
