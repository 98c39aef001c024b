package dev.pacegate.feedback;

import dev.pacegate.PeerAnswer;
import dev.pacegate.Quota;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * Reads headers with a common prefix, and perhaps a common suffix: limit, remaining, used and
 * reset. The limit may be followed by policies, or a header of their own states them. Two values of
 * each header are two quotas.
 *
 * @param cost the name of the cost that they count
 */
record CountHeaders(String prefix, String suffix, String cost) implements HeaderFormat {

  @Override
  public PeerAnswer read(Reading reading) {
    if (reading.names(prefix).isEmpty()) {
      return PeerAnswer.NOTHING;
    }
    List<Limit> limits = reading.values(name("Limit"), Limit::parse);
    List<Long> remaining = reading.values(name("Remaining"), HeaderValues::amount);
    List<Long> used = reading.values(name("Used"), HeaderValues::used);
    List<Duration> resets = resets(reading);
    int quotas = IntStream.of(limits.size(), remaining.size(), used.size()).max().orElse(0);
    if (!fits(limits, quotas) || !fits(remaining, quotas) || !fits(used, quotas)) {
      reading.notUnderstood(name("Remaining"));
      return PeerAnswer.NOTHING;
    }
    List<Duration> matching = fits(resets, quotas) ? resets : List.of();
    NumberedPolicies stated = policies(reading);
    String label = label(reading);
    Optional<Duration> window =
        reading.values(name("RenewalPeriod"), HeaderValues::seconds).stream().findFirst();
    var all = new ArrayList<Quota>();
    for (int i = 0; i < quotas; i++) {
      Optional<Limit> limit = at(limits, i);
      Quota bare =
          Quotas.of(label, limit.map(Limit::most), at(remaining, i), at(used, i), at(matching, i));
      NumberedPolicies policies = limit.map(Limit::policies).map(stated::and).orElse(stated);
      Quota known = window.filter(Quotas::isPositive).map(bare::withWindow).orElse(bare);
      Quota quota = policies.complete(known);
      all.add(quota);
      all.addAll(policies.others(quota));
    }
    return PeerAnswer.NOTHING.withQuotas(
        all.stream().map(quota -> quota.withCost(cost)).distinct().toList());
  }

  /** Returns the names of all headers of this format. */
  private String name(String what) {
    return prefix + what + suffix;
  }

  /** Prefers spans to instants, which depend on clocks. */
  private List<Duration> resets(Reading reading) {
    List<Duration> instants = reading.waits(name("Reset"));
    List<Duration> spans = reading.waits(name("Reset-After"));
    return spans.isEmpty() ? instants : spans;
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
