package dev.pacegate.feedback;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.pacegate.Backoff;
import dev.pacegate.Limiter;
import dev.pacegate.PeerAnswer;
import dev.pacegate.PeerVerdict;
import dev.pacegate.Permit;
import dev.pacegate.limit.Cost;
import dev.pacegate.time.ManualTime;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** The rate to which a limiter has slowed down, in words. */
class RateWordsTest {

  private final ManualTime time = ManualTime.manual();

  private String slowed(String limit, long cost) throws Exception {
    Limiter limiter = Limiter.builder(limit).time(time).executor(Runnable::run).build();
    PeerAnswer refused =
        PeerAnswer.of(PeerVerdict.REFUSED).withRetryAfter(Duration.ofSeconds(1), "");
    for (PeerAnswer answer : new PeerAnswer[] {PeerAnswer.NOTHING, refused}) {
      Permit permit = limiter.acquire(cost);
      limiter.heard(permit, answer, Backoff.standard());
      permit.answered();
    }
    time.advance(Duration.ofSeconds(2));
    limiter.tryAcquire(cost).ifPresent(Permit::answered);
    return limiter.bottleneck(Cost.of(cost)).orElseThrow().reason();
  }

  /** It spoke of requests, of which one went every 5.9 s. */
  @Test
  void aRateOfCostsIsNotOneOfRequests() throws Exception {
    assertEquals(
        "slowed down to 8.5 a second, because the peer has refused requests",
        slowed("peer(1200/1m)", 50));
  }

  @Test
  void aSlowRateIsASpan() throws Exception {
    assertEquals(
        "slowed down to one every 14.1s, because the peer has refused requests",
        slowed("peer(10/1m)", 1));
  }
}
