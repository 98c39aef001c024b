package dev.pacegate.feedback;

import dev.pacegate.Quota;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/** The fields of the draft: policies by name, and what is left of them. */
final class RateLimitFields implements LessonReader {

  @Override
  public Lesson read(Answer answer) {
    Map<String, Quota> quotas = new LinkedHashMap<>();
    for (StructuredList.Item policy : StructuredList.parse(answer.all("RateLimit-Policy"))) {
      if (countsRequests(policy)) {
        quotas.put(
            policy.name(),
            new Quota(
                policy.name(),
                policy.amount("q"),
                OptionalLong.empty(),
                OptionalLong.empty(),
                seconds(policy, "w"),
                Optional.empty()));
      }
    }
    for (StructuredList.Item state : StructuredList.parse(answer.all("RateLimit"))) {
      Quota known = quotas.get(state.name());
      OptionalLong limit = known == null ? OptionalLong.empty() : known.limit();
      Optional<Duration> window = known == null ? Optional.empty() : known.window();
      if (known != null || !isOfOtherUnits(answer, state)) {
        quotas.put(
            state.name(),
            new Quota(
                state.name(),
                limit,
                state.amount("r"),
                OptionalLong.empty(),
                window,
                seconds(state, "t")));
      }
    }
    return Lesson.of(quotas.values().stream().toList());
  }

  private static boolean isOfOtherUnits(Answer answer, StructuredList.Item state) {
    return StructuredList.parse(answer.all("RateLimit-Policy")).stream()
        .anyMatch(policy -> policy.name().equals(state.name()) && !countsRequests(policy));
  }

  private static boolean countsRequests(StructuredList.Item policy) {
    return policy.parameters().getOrDefault("qu", "requests").equals("requests");
  }

  static Optional<Duration> seconds(StructuredList.Item item, String parameter) {
    String value = item.parameters().get(parameter);
    return value == null ? Optional.empty() : Spans.seconds(value);
  }
}
