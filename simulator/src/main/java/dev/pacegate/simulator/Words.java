package dev.pacegate.simulator;

import dev.pacegate.limit.Rate;
import dev.pacegate.time.Durations;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/**
 * Parses a text of the form {@code name(argument, key=value, ...)}, with optional brackets.
 * Messages quote the text and say what is wrong and what is allowed.
 */
final class Words {

  private final String text;
  private final String name;
  private final String argument;
  private final Map<String, String> options = new LinkedHashMap<>();

  Words(String text) {
    this.text = text.strip();
    int open = this.text.indexOf('(');
    if (open < 0) {
      name = this.text;
      argument = "";
      return;
    }
    if (!this.text.endsWith(")")) {
      throw wrong("has no \")\" at the end");
    }
    name = this.text.substring(0, open).strip();
    String[] parts = this.text.substring(open + 1, this.text.length() - 1).split(",", -1);
    argument = parts[0].strip();
    for (int i = 1; i < parts.length; i++) {
      option(parts[i]);
    }
  }

  private void option(String part) {
    int equals = part.indexOf('=');
    if (equals < 0) {
      throw wrong("has \"" + part.strip() + "\" where key=value belongs");
    }
    String key = part.substring(0, equals).strip();
    if (options.put(key, part.substring(equals + 1).strip()) != null) {
      throw wrong("has " + key + " twice");
    }
  }

  String name() {
    return name;
  }

  boolean has(String key) {
    return options.containsKey(key);
  }

  /** Refuses options other than these. */
  void allow(String... keys) {
    for (String key : options.keySet()) {
      if (!Set.of(keys).contains(key)) {
        String allowed = keys.length == 0 ? "none" : String.join(", ", keys);
        throw wrong("has no option \"" + key + "\", allowed: " + allowed);
      }
    }
  }

  Rate rate() {
    int slash = argument.indexOf('/');
    if (slash < 0) {
      throw wrong("takes a rate such as 10/1s, not \"" + argument + "\"");
    }
    try {
      long permits = integer(argument.substring(0, slash));
      return new Rate(permits, Durations.parseNanos(argument.substring(slash + 1).strip()));
    } catch (IllegalArgumentException e) {
      throw wrong(e);
    }
  }

  /** Returns the argument, a duration of at least a nanosecond. */
  long positiveNanos() {
    long nanos = nanos(argument);
    if (nanos == 0) {
      throw wrong("takes a duration such as 100ms, longer than 0");
    }
    return nanos;
  }

  long count() {
    return positive(argument);
  }

  long count(String key, long usual) {
    return has(key) ? positive(value(key)) : usual;
  }

  long nanos(String key, long usual) {
    return has(key) ? nanos(value(key)) : usual;
  }

  long firstNanos() {
    return nanos(argument);
  }

  private String value(String key) {
    return options.getOrDefault(key, "");
  }

  private long positive(String digits) {
    long value = integer(digits);
    if (value < 1) {
      throw wrong("takes a whole number from 1, not \"" + digits + "\"");
    }
    return value;
  }

  private long integer(String digits) {
    String plain = digits.strip().replace("_", "");
    if (!plain.matches("[0-9]{1,18}")) {
      throw wrong("takes a whole number, not \"" + digits.strip() + "\"");
    }
    return Long.parseLong(plain);
  }

  private long nanos(String duration) {
    try {
      return Durations.parseNanos(duration);
    } catch (IllegalArgumentException e) {
      throw wrong(e);
    }
  }

  /** Returns an error that quotes the text once. */
  private IllegalArgumentException wrong(IllegalArgumentException e) {
    String message = String.valueOf(e.getMessage());
    return new IllegalArgumentException(
        message.startsWith("\"" + text + "\"") ? message : "\"" + text + "\": " + message);
  }

  IllegalArgumentException wrong(String problem) {
    return new IllegalArgumentException("\"" + text + "\" " + problem);
  }
}
