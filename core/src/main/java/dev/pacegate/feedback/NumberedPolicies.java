package dev.pacegate.feedback;

import dev.pacegate.Quota;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The policies of the drafts up to 7, {@code 10;w=1, 50;w=60}: they have no names, so the limit in
 * force is matched with them by its number.
 */
record NumberedPolicies(List<Policy> policies) {

  record Policy(long limit, Duration window) {}

  static NumberedPolicies of(List<StructuredList.Item> items) {
    var policies = new ArrayList<Policy>();
    for (StructuredList.Item item : items) {
      Optional<Long> limit = HeaderValues.amount(item.name());
      Optional<Duration> window = RateLimitFields.window(item);
      if (limit.isPresent() && window.isPresent()) {
        policies.add(new Policy(limit.get(), window.get()));
      }
    }
    return new NumberedPolicies(policies.stream().distinct().toList());
  }

  NumberedPolicies and(NumberedPolicies others) {
    var all = new ArrayList<Policy>(policies);
    all.addAll(others.policies);
    return new NumberedPolicies(all.stream().distinct().toList());
  }

  /** Completes the quota with the window of its limit; without a limit, with the only policy. */
  Quota complete(Quota quota) {
    List<Policy> own =
        policies.stream()
            .filter(policy -> quota.limit().isEmpty() || matches(policy, quota))
            .toList();
    if (own.size() != 1 || quota.window().isPresent()) {
      return quota;
    }
    return quota.withLimit(own.get(0).limit()).withWindow(own.get(0).window());
  }

  /** Returns the other policies, of which only limit and window are known. */
  List<Quota> others(Quota quota) {
    return policies.stream().filter(policy -> !matches(policy, quota)).map(this::quota).toList();
  }

  private static boolean matches(Policy policy, Quota quota) {
    return quota.limit().equals(OptionalLong.of(policy.limit()));
  }

  private Quota quota(Policy policy) {
    return Quotas.NONE.withLimit(policy.limit()).withWindow(policy.window());
  }
}
