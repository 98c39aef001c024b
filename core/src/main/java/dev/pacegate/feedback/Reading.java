package dev.pacegate.feedback;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** An answer while it is read: remembers which headers were understood. */
final class Reading {

  /** The most values of one header that are read; a real answer has far fewer. */
  private static final int MOST = 100;

  /** An older answer counts as that old; instants then cannot overflow. */
  private static final Duration OLDEST = Duration.ofDays(365);

  /** The longest text that is read as several values. */
  private static final int LONGEST = 1_000;

  /**
   * Between values that a proxy has joined. Without a space it may be a decimal comma, and behind a
   * weekday it is part of a date.
   */
  private static final Pattern JOINT =
      Pattern.compile(
          "(?<!\\b(?:mon|tue|wed|thu|fri|sat|sun)[a-z]{0,6}),\\s+", Pattern.CASE_INSENSITIVE);

  private final Answer answer;
  private final Optional<Instant> date;
  private final Duration age;
  private final boolean isFresh;
  private final Set<String> understood = new TreeSet<>(String.CASE_INSENSITIVE_ORDER);
  private final List<Set<String>> remarks = new ArrayList<>();

  Reading(Answer answer) {
    this.answer = answer;
    this.date = answer.date();
    List<String> ages = answer.all("Age");
    this.age = oldest(ages);
    this.isFresh = ages.isEmpty() || ages.stream().allMatch(age -> age.trim().equals("0"));
  }

  Answer answer() {
    return answer;
  }

  private static Duration oldest(List<String> ages) {
    if (ages.isEmpty()) {
      return Duration.ZERO; // as of most answers
    }
    return ages.stream()
        .flatMap(age -> HeaderValues.seconds(age).stream())
        .max(Duration::compareTo)
        .map(age -> age.compareTo(OLDEST) > 0 ? OLDEST : age)
        .orElse(Duration.ZERO);
  }

  /** Returns whether a cache had stored the answer. */
  boolean isOfCache() {
    return Quotas.isPositive(age);
  }

  /** Returns the instant of reading by the peer's clock if the answer has a date, else by ours. */
  Instant now() {
    return date.map(at -> at.plus(age)).orElse(answer.receivedAt());
  }

  /** Returns the instant of the answer by the peer's clock; empty if a cache stored the answer. */
  Optional<Instant> freshDate() {
    return isFresh ? date : Optional.empty();
  }

  /** Returns the names of the headers that begin with a prefix. */
  List<String> names(String prefix) {
    return answer.names(prefix);
  }

  /**
   * Returns the values that can be parsed, also those that were joined in one line. The header is
   * understood if all of them can.
   */
  <T> List<T> values(String header, Function<String, Optional<T>> parser) {
    List<String> texts = texts(header);
    if (texts.isEmpty()) {
      return List.of();
    }
    var values = new ArrayList<T>();
    boolean all = true;
    for (String text : texts) {
      List<T> parsed = parsed(text, parser);
      values.addAll(parsed);
      all &= !parsed.isEmpty();
    }
    if (all && !values.isEmpty()) {
      understood(header);
    }
    return values;
  }

  private static <T> List<T> parsed(String text, Function<String, Optional<T>> parser) {
    Optional<T> whole = parser.apply(text);
    if (whole.isPresent() || text.length() > LONGEST) {
      return whole.stream().toList();
    }
    String[] parts = JOINT.split(text, -1);
    List<T> values = Stream.of(parts).flatMap(part -> parser.apply(part).stream()).toList();
    return values.size() == parts.length ? values : List.of();
  }

  /** Returns the waits that a header states, in whatever form; zero for what has passed. */
  List<Duration> waits(String header) {
    return values(header, text -> HeaderValues.wait(text, now()));
  }

  /** Returns the first values of a header, as they are. */
  List<String> texts(String header) {
    List<String> all = answer.all(header);
    return all.size() > MOST ? all.subList(0, MOST) : all;
  }

  void understood(String header) {
    understood.add(header);
  }

  /** Notes headers that are understood wherever they come, whether or not they do here. */
  void understood(Set<String> headers) {
    remarks.add(headers);
  }

  void notUnderstood(String header) {
    understood.remove(header);
  }

  /** Returns the headers whose name speaks of a rate limit and that no format understood. */
  List<String> unknown() {
    var unknown = new ArrayList<String>();
    for (String header : answer.headers().keySet()) {
      if (speaksOfLimits(header) && !isUnderstood(header)) {
        unknown.add(header);
      }
    }
    return unknown;
  }

  private boolean isUnderstood(String header) {
    return understood.contains(header)
        || remarks.stream().anyMatch(headers -> headers.contains(header));
  }

  private static boolean speaksOfLimits(String header) {
    return contains(header, "ratelimit") || contains(header, "retryafter");
  }

  /** Returns whether these letters are in the header, whatever their case, and with hyphens. */
  private static boolean contains(String header, String letters) {
    for (int start = 0; start + letters.length() <= header.length(); start++) {
      if (isAt(header, start, letters)) {
        return true;
      }
    }
    return false;
  }

  private static boolean isAt(String header, int start, String letters) {
    int next = 0;
    for (int i = start; i < header.length() && next < letters.length(); i++) {
      char letter = header.charAt(i);
      if (letter == '-') {
        continue;
      }
      if (Character.toLowerCase(letter) != letters.charAt(next)) {
        return false;
      }
      next++;
    }
    return next == letters.length();
  }
}
