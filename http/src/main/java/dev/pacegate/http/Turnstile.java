package dev.pacegate.http;

import static java.util.Objects.requireNonNull;

import dev.pacegate.Limiter;
import dev.pacegate.feedback.Feedback;
import dev.pacegate.limit.Cost;
import java.net.http.HttpRequest;
import java.time.Duration;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Says where each request gets its permit, and what it costs.
 *
 * @param feedback how answers are heeded; null if they are not
 */
record Turnstile(
    Function<? super HttpRequest, Limiter> route,
    Function<? super HttpRequest, Cost> cost,
    Duration maxWait,
    @Nullable Feedback feedback) {

  /** The functions are asked here, once: another time they might say something else. */
  Pass pass(HttpRequest request) {
    Limiter limiter = requireNonNull(route.apply(request), "no limiter for the request");
    Cost amount = requireNonNull(cost.apply(request), "no cost for the request");
    return new Pass(limiter, amount, maxWait, feedback);
  }
}
