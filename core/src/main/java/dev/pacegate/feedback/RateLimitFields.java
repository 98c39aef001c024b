package dev.pacegate.feedback;

import dev.pacegate.Quota;
import java.time.Duration;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/** Reads the fields of the draft: policies by name, and what is left of them. */
final class RateLimitFields implements LessonReader {

  private static final OptionalLong NONE = OptionalLong.empty();

  @Override
  public Lesson read(Answer answer) {
    Map<String, Quota> quotas = new LinkedHashMap<>();
    Set<String> ofOtherUnits = new HashSet<>();
    for (StructuredList.Item policy : StructuredList.parse(answer.all("RateLimit-Policy"))) {
      if (countsRequests(policy)) {
        quotas.put(policy.name(), policy(policy));
      } else {
        ofOtherUnits.add(policy.name());
      }
    }
    for (StructuredList.Item state : StructuredList.parse(answer.all("RateLimit"))) {
      Quota known = quotas.get(state.name());
      if (known != null) {
        quotas.put(state.name(), state(state, known.limit(), known.window()));
      } else if (!ofOtherUnits.contains(state.name())) {
        quotas.put(state.name(), state(state, NONE, Optional.empty()));
      }
    }
    return Lesson.of(quotas.values().stream().toList());
  }

  private static Quota policy(StructuredList.Item item) {
    Optional<Duration> window = seconds(item, "w");
    return new Quota(item.name(), item.amount("q"), NONE, NONE, window, Optional.empty());
  }

  private static Quota state(
      StructuredList.Item item, OptionalLong limit, Optional<Duration> window) {
    OptionalLong remaining = item.amount("r");
    return new Quota(item.name(), limit, remaining, NONE, window, seconds(item, "t"));
  }

  private static boolean countsRequests(StructuredList.Item policy) {
    return policy.parameters().getOrDefault("qu", "requests").equals("requests");
  }

  static Optional<Duration> seconds(StructuredList.Item item, String parameter) {
    String value = item.parameters().get(parameter);
    return value == null ? Optional.empty() : HeaderValues.seconds(value);
  }
}
