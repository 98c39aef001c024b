package dev.pacegate.micrometer;

import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/** What a program showed Prometheus, at instants in seconds. */
final class Scrapes {

  /** A metric with its labels. */
  record Series(String name, Map<String, String> labels) {}

  private static final Pattern LINE = Pattern.compile("(?m)^(\\w+)(?:\\{(.*)})? (\\S+)$");
  private static final Pattern LABEL = Pattern.compile("(\\w+)=\"([^\"]*)\"");

  private final Map<Series, NavigableMap<Long, Double>> values = new HashMap<>();

  /** Adds what a page says, in the text format of Prometheus. */
  void add(long second, String page) {
    for (MatchResult line : LINE.matcher(page).results().toList()) {
      var labels = new TreeMap<String, String>();
      String inside = line.group(2) == null ? "" : line.group(2);
      LABEL.matcher(inside).results().forEach(label -> labels.put(label.group(1), label.group(2)));
      values
          .computeIfAbsent(new Series(line.group(1), labels), series -> new TreeMap<>())
          .put(second, Double.valueOf(line.group(3)));
    }
  }

  /** Returns what each series has been, by instant. */
  Map<Series, NavigableMap<Long, Double>> values() {
    return Collections.unmodifiableMap(values);
  }
}
