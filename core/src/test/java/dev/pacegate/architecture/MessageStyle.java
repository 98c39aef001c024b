package dev.pacegate.architecture;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** How messages state durations and numbers: {@code 1m12s}, {@code 59.1s}, {@code 950ms}. */
public final class MessageStyle {

  /** As {@link java.time.Duration} writes itself. */
  private static final Pattern ISO = Pattern.compile("\\b-?P(T-?\\d|-?\\d+D)");

  /** More than four digits of a unit that has a larger one. */
  private static final Pattern LONG =
      Pattern.compile("(?<![\\d.])\\d{5,}(\\.\\d+)? ?(ns|us|ms|s|m|min|h)\\b");

  /** A unit apart from its number. */
  private static final Pattern APART = Pattern.compile("\\b\\d+ (ns|us|ms|s|min|h|d)\\b");

  /** No count of requests: a bound that stands for none, or nanoseconds. */
  private static final Pattern HUGE = Pattern.compile("\\b\\d{12,}\\b");

  /** What users wrote themselves, as limits and costs. */
  private static final Pattern WRITTEN =
      Pattern.compile("\\d[\\d_]*/\\d*[a-z]+|[a-z]+=[^,)\\s]+|spacing\\([^)]*\\)|cost of \\d+");

  private MessageStyle() {}

  /** Returns what is wrong with a message. */
  public static List<String> faults(String message) {
    String text = WRITTEN.matcher(message).replaceAll("…");
    var faults = new ArrayList<String>();
    for (Pattern pattern : List.of(ISO, LONG, APART, HUGE)) {
      Matcher found = pattern.matcher(text);
      while (found.find()) {
        faults.add("\"" + found.group() + "\" in: " + message);
      }
    }
    return faults;
  }
}
