package dev.pacegate.feedback;

import dev.pacegate.PeerAnswer;
import dev.pacegate.Quota;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Reads {@code RateLimit} and {@code RateLimit-Policy}: policies by name and what is left of them,
 * as in the drafts from 8 on; or {@code limit=10, remaining=3, reset=1}, as in draft 7.
 */
final class RateLimitFields implements HeaderFormat {

  private static final String STATE = "RateLimit";
  private static final String POLICY = "RateLimit-Policy";

  @Override
  public List<String> beginnings() {
    return List.of(STATE);
  }

  @Override
  public PeerAnswer read(Reading reading) {
    if (reading.names(STATE).isEmpty()) {
      return PeerAnswer.NOTHING;
    }
    List<StructuredList.Item> policies = StructuredList.parse(reading.texts(POLICY));
    var quotas = new ArrayList<Quota>(unnamed(reading, NumberedPolicies.of(policies)));
    if (quotas.isEmpty()) {
      quotas.addAll(named(reading, policies));
    }
    return PeerAnswer.NOTHING.withQuotas(quotas);
  }

  private static List<Quota> unnamed(Reading reading, NumberedPolicies policies) {
    var quotas = new ArrayList<Quota>();
    for (String line : reading.texts(STATE)) {
      Map<String, String> stated = StructuredList.dictionary(line);
      Optional<Long> limit = value(stated, "limit").flatMap(HeaderValues::amount);
      Optional<Long> remaining = value(stated, "remaining").flatMap(HeaderValues::amount);
      if (limit.isPresent() || remaining.isPresent()) {
        Optional<Duration> reset = value(stated, "reset").flatMap(HeaderValues::seconds);
        Quota quota = policies.complete(Quotas.of("", limit, remaining, Optional.empty(), reset));
        quotas.add(quota);
        quotas.addAll(policies.others(quota));
      }
    }
    if (!quotas.isEmpty()) {
      reading.understood(STATE);
      reading.understood(POLICY);
    }
    return quotas.stream().distinct().toList();
  }

  private static List<Quota> named(Reading reading, List<StructuredList.Item> policies) {
    Map<String, Quota> quotas = new LinkedHashMap<>();
    for (StructuredList.Item item : policies) {
      Optional<Long> most = item.amount("q");
      if (most.isPresent()) {
        reading.understood(POLICY);
        quotas.put(item.name(), policy(item, most.get()));
      }
    }
    for (StructuredList.Item item : StructuredList.parse(reading.texts(STATE))) {
      Optional<Long> remaining = item.amount("r");
      if (remaining.isPresent()) {
        reading.understood(STATE);
        Quota policy = quotas.getOrDefault(item.name(), Quotas.NONE.withName(item.name()));
        quotas.put(item.name(), state(policy, remaining.get(), span(item, "t")));
      }
    }
    return List.copyOf(quotas.values());
  }

  private static Quota policy(StructuredList.Item item, long most) {
    String unit = item.parameters().getOrDefault("qu", "requests");
    Quota quota = Quotas.NONE.withName(item.name()).withLimit(most).withCost(Quotas.cost(unit));
    return window(item).map(quota::withWindow).orElse(quota);
  }

  private static Quota state(Quota policy, long remaining, Optional<Duration> reset) {
    Quota quota = Quota.remaining(remaining).withName(policy.name()).withCost(policy.cost());
    if (policy.limit().isPresent()) {
      quota = quota.withLimit(policy.limit().getAsLong());
    }
    quota = policy.window().map(quota::withWindow).orElse(quota);
    return reset.map(quota::withReset).orElse(quota);
  }

  static Optional<Duration> window(StructuredList.Item item) {
    return span(item, "w");
  }

  private static Optional<Duration> span(StructuredList.Item item, String parameter) {
    return value(item.parameters(), parameter)
        .flatMap(HeaderValues::seconds)
        .filter(Quotas::isPositive);
  }

  private static Optional<String> value(Map<String, String> stated, String key) {
    return Optional.ofNullable(stated.get(key));
  }
}
