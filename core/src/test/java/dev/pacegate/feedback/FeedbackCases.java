package dev.pacegate.feedback;

import dev.pacegate.Limiter;
import dev.pacegate.LimiterListener;
import dev.pacegate.PeerRefusal;
import dev.pacegate.Permit;
import dev.pacegate.time.ManualTime;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Limiters on virtual time, and answers to their requests. */
abstract class FeedbackCases {

  final ManualTime time = ManualTime.manual();
  final List<PeerRefusal> refusals = new ArrayList<>();
  final Feedback feedback = Feedback.standard();

  Limiter limiter(String limit) {
    return Limiter.builder(limit)
        .name("api")
        .time(time)
        .executor(Runnable::run)
        .listener(
            new LimiterListener() {
              @Override
              public void onPeerRefusal(PeerRefusal refusal) {
                refusals.add(refusal);
              }
            })
        .build();
  }

  static Answer answer(int status, Map<String, String> headers) {
    var all = new HashMap<String, List<String>>();
    headers.forEach((name, value) -> all.put(name, List.of(value)));
    return new Answer(status, all, Instant.EPOCH);
  }

  static Answer refused(String retryAfter) {
    return answer(429, Map.of("Retry-After", retryAfter));
  }

  static Answer left(long limit, long remaining) {
    return answer(
        200, Map.of("X-RateLimit-Limit", "" + limit, "X-RateLimit-Remaining", "" + remaining));
  }

  static Permit take(Limiter limiter) {
    return limiter.tryAcquire().orElseThrow();
  }

  /** Takes as many permits as there are, and ends them. */
  static int drain(Limiter limiter) {
    int taken = 0;
    for (var permit = limiter.tryAcquire(); permit.isPresent(); permit = limiter.tryAcquire()) {
      permit.get().answered();
      taken++;
    }
    return taken;
  }
}
