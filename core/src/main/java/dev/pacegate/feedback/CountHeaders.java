package dev.pacegate.feedback;

import dev.pacegate.PeerAnswer;
import dev.pacegate.Quota;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Reads headers with a common prefix, and perhaps a common suffix: limit, remaining, used, reset
 * and window. The limit may be followed by policies, or a header of their own states them. Two
 * values of each header are two quotas.
 *
 * @param cost the name of the cost that they count
 * @param window the window if no header states it, by the documentation of who sends them
 * @param resets in which unit a reset is
 */
record CountHeaders(
    String prefix, String suffix, String cost, Optional<Duration> window, Resets resets)
    implements HeaderFormat {

  /** In which unit a reset is that is a number. */
  enum Resets {
    /** Seconds; by its size, an instant. */
    USUAL,
    MILLIS
  }

  CountHeaders(String prefix, String suffix, String cost) {
    this(prefix, suffix, cost, Optional.empty(), Resets.USUAL);
  }

  CountHeaders withWindow(Duration window) {
    return new CountHeaders(prefix, suffix, cost, Optional.of(window), resets);
  }

  CountHeaders inMillis() {
    return new CountHeaders(prefix, suffix, cost, window, Resets.MILLIS);
  }

  @Override
  public List<String> beginnings() {
    return List.of(prefix);
  }

  @Override
  public PeerAnswer read(Reading reading) {
    if (reading.names(prefix).isEmpty()) {
      return PeerAnswer.NOTHING;
    }
    List<Limit> limits = limits(reading);
    List<Long> remaining = reading.values(name("Remaining"), HeaderValues::amount);
    List<Long> used = first(reading, HeaderValues::used, "Used", "Observed");
    List<Duration> resets = resets(reading);
    int amounts = IntStream.of(limits.size(), remaining.size(), used.size()).max().orElse(0);
    if (!fits(limits, amounts) || !fits(remaining, amounts) || !fits(used, amounts)) {
      reading.notUnderstood(name("Remaining"));
      return PeerAnswer.NOTHING;
    }
    int quotas = amounts > 0 || hasAmounts(reading) ? amounts : resets.size();
    List<Duration> matching = fits(resets, quotas) ? resets : List.of();
    NumberedPolicies stated = policies(reading);
    String label = label(reading);
    Optional<Duration> stretch = window(reading);
    var all = new ArrayList<Quota>();
    for (int i = 0; i < quotas; i++) {
      Optional<Limit> limit = at(limits, i);
      Quota bare =
          Quotas.of(label, limit.map(Limit::most), at(remaining, i), at(used, i), at(matching, i));
      NumberedPolicies policies = limit.map(Limit::policies).map(stated::and).orElse(stated);
      Quota known = stretch.map(bare::withWindow).orElse(bare);
      Quota quota = policies.complete(known);
      all.add(quota);
      all.addAll(policies.others(quota));
    }
    return PeerAnswer.NOTHING.withQuotas(
        all.stream().map(quota -> quota.withCost(cost)).distinct().toList());
  }

  /** Returns the limits, which may be in a header that has the name of them all. */
  private List<Limit> limits(Reading reading) {
    List<Limit> limits = first(reading, Limit::parse, "Limit", "Max");
    if (!limits.isEmpty() || !suffix.isEmpty()) {
      return limits;
    }
    String bare = prefix.substring(0, Math.max(0, prefix.length() - 1));
    return reading.values(bare, text -> HeaderValues.amount(text).map(Limit::of));
  }

  /** Returns whether it is said how much is left or used, even if that cannot be read. */
  private boolean hasAmounts(Reading reading) {
    return Stream.of("Remaining", "Used", "Observed")
        .anyMatch(what -> !reading.texts(name(what)).isEmpty());
  }

  /** Returns the values of the first of several headers that has any. */
  private <T> List<T> first(
      Reading reading, Function<String, Optional<T>> parser, String... headers) {
    List<T> first = List.of();
    for (String header : headers) {
      List<T> values = reading.values(name(header), parser);
      first = first.isEmpty() ? values : first;
    }
    return first;
  }

  /** Returns the window; the unit of each of these headers is in its name, or known. */
  private Optional<Duration> window(Reading reading) {
    List<Duration> seconds = first(reading, HeaderValues::seconds, "RenewalPeriod", "Period");
    List<Duration> millis =
        first(reading, HeaderValues::millis, "Interval-Milliseconds", "Interval-Ms");
    return Stream.of(seconds, millis)
        .flatMap(List::stream)
        .filter(Quotas::isPositive)
        .findFirst()
        .or(() -> window);
  }

  /** Returns the names of all headers of this format. */
  private String name(String what) {
    return prefix + what + suffix;
  }

  /** Prefers spans to instants, which depend on clocks. */
  private List<Duration> resets(Reading reading) {
    Function<String, Optional<Duration>> parser =
        resets == Resets.MILLIS
            ? HeaderValues::millis
            : text -> HeaderValues.wait(text, reading.now());
    return first(reading, parser, "Reset-After", "Reset", "ResetTime");
  }

  private NumberedPolicies policies(Reading reading) {
    NumberedPolicies policies =
        NumberedPolicies.of(StructuredList.parse(reading.texts(name("Policy"))));
    if (!policies.policies().isEmpty()) {
      reading.understood(name("Policy"));
    }
    return policies;
  }

  /** Returns the peer's name for the quota; the prefix if it has none. */
  private String label(Reading reading) {
    List<String> bucket = reading.values(name("Bucket"), Optional::of);
    List<String> resource = reading.values(name("Resource"), Optional::of);
    return at(bucket, 0).or(() -> at(resource, 0)).orElse(prefix + suffix);
  }

  private static boolean fits(List<?> values, int quotas) {
    return values.isEmpty() || values.size() == quotas;
  }

  private static <T> Optional<T> at(List<T> values, int index) {
    return index < values.size() ? Optional.of(values.get(index)) : Optional.empty();
  }

  /** A limit and the policies behind it: {@code 10, 10;w=1, 50;w=60}. */
  private record Limit(long most, NumberedPolicies policies) {

    static Limit of(long most) {
      return new Limit(most, NumberedPolicies.of(List.of()));
    }

    static Optional<Limit> parse(String text) {
      List<StructuredList.Item> items = StructuredList.parse(List.of(text));
      if (items.size() > 1 && items.stream().allMatch(item -> item.parameters().isEmpty())) {
        return Optional.empty(); // several limits in one line, without policies
      }
      return items.stream()
          .findFirst()
          .flatMap(first -> HeaderValues.amount(first.name()))
          .map(most -> new Limit(most, NumberedPolicies.of(items)));
    }
  }
}
