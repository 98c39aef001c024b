package dev.pacegate.spring;

import dev.pacegate.Limiter;
import dev.pacegate.limit.Cost;
import java.time.Duration;
import java.util.function.Function;
import org.aopalliance.intercept.MethodInvocation;
import org.springframework.boot.convert.DurationStyle;

/** What a {@link Throttled} says of each call, found and checked. */
record ThrottledTerms(
    Function<MethodInvocation, Limiter> limiters,
    Function<MethodInvocation, Cost> costs,
    Duration maxWait) {

  private static final Duration UNBOUNDED = Duration.ofSeconds(Long.MAX_VALUE);

  static ThrottledTerms of(ThrottledMethod method) {
    CallLimiter limiter = CallLimiter.of(method);
    var costs = CallCost.of(method, limiter.limits());
    return new ThrottledTerms(limiter.choice(), costs, maxWait(method));
  }

  Limiter limiter(MethodInvocation call) {
    return limiters.apply(call);
  }

  Cost cost(MethodInvocation call) {
    return costs.apply(call);
  }

  private static Duration maxWait(ThrottledMethod method) {
    String text = method.resolved(method.throttled().maxWait());
    try {
      return text.isEmpty() ? UNBOUNDED : DurationStyle.detectAndParse(text);
    } catch (IllegalArgumentException wrong) {
      throw method.refused(
          "has maxWait=\"" + text + "\", which is no duration such as 30s or 500ms");
    }
  }
}
