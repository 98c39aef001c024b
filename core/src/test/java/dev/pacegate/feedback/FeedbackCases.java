package dev.pacegate.feedback;

import static java.time.Duration.ofMillis;

import dev.pacegate.Limiter;
import dev.pacegate.LimiterListener;
import dev.pacegate.PeerPause;
import dev.pacegate.PeerRefusal;
import dev.pacegate.Permit;
import dev.pacegate.time.ManualTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;

/** Limiters on virtual time, answers to their requests, and what is told of those. */
abstract class FeedbackCases {

  final ManualTime time = ManualTime.manual();
  final List<PeerRefusal> refusals = new ArrayList<>();
  final List<PeerPause> pauses = new ArrayList<>();
  final List<OptionalDouble> rates = new ArrayList<>();
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

              @Override
              public void onPeerPause(PeerPause pause) {
                pauses.add(pause);
              }

              @Override
              public void onWorkingRate(OptionalDouble perSecond) {
                rates.add(perSecond);
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

  /** Sends a request, which is answered now. */
  void answer(Limiter limiter, int status, Map<String, String> headers) {
    answer(feedback, limiter, status, headers);
  }

  void answer(Feedback feedback, Limiter limiter, int status, Map<String, String> headers) {
    answer(feedback, limiter, take(limiter), status, headers);
  }

  void answer(
      Feedback feedback, Limiter limiter, Permit permit, int status, Map<String, String> headers) {
    Answer answer = answer(status, headers);
    feedback.apply(limiter, permit, new Answer(status, answer.headers(), time.instant()));
    permit.answered();
  }

  /** Returns how long no request goes from now on, to a millisecond, and moves on to its end. */
  Duration stop(Limiter limiter) {
    var before = time.nanoTime();
    Duration step = ofMillis(1);
    while (limiter.estimateWait(1).compareTo(Duration.ZERO) > 0) {
      time.advance(limiter.estimateWait(1).compareTo(step) > 0 ? limiter.estimateWait(1) : step);
    }
    return ofMillis((time.nanoTime() - before) / 1_000_000);
  }
}
