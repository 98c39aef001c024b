package dev.pacegate.change;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.Limiter;
import dev.pacegate.Permit;
import dev.pacegate.time.ManualTime;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** A change of a limiter's limit keeps what went before, of each limit by itself. */
class ChangeTest {

  private final ManualTime time = ManualTime.manual();

  private Limiter limiter(String limit) {
    return Limiter.builder(limit).time(time).build();
  }

  @Test
  void aPeerWindowKeepsItsOwnPastBesideALargerWindow() throws Exception {
    Limiter limiter = limiter("peer(1/1m) & 100/1h");
    Permit slow = limiter.acquire();
    time.advance(Duration.ofMinutes(5));
    slow.answered(); // the peer may have counted it just now
    time.advance(Duration.ofMillis(1));
    limiter.setLimit("peer(1/1m) & 100/1h");
    assertTrue(limiter.tryAcquire().isEmpty(), "two within a minute, as the peer counts");
  }

  @Test
  void aWindowKeepsItsOwnPastBesideALargerBucket() throws Exception {
    Limiter limiter = limiter("10/1m & bucket(10/1s, burst=20)");
    for (int i = 0; i < 100; i++) {
      limiter.acquire();
      time.advance(Duration.ofMinutes(1));
    }
    time.advance(Duration.ofDays(1));
    limiter.setLimit("10/1m & bucket(10/1s, burst=20)");
    assertEquals(Duration.ZERO, limiter.estimateWait(1));
  }

  @Test
  void aBucketKeepsItsOwnLevelBesideALargerWindow() {
    Limiter limiter = limiter("bucket(1/1m, burst=10, initial=empty) & 100/1h");
    limiter.setLimit("bucket(1/1m, burst=10, initial=empty) & 100/1h");
    assertTrue(limiter.tryAcquire(10).isEmpty(), "a free burst");
  }

  @Test
  void aPeerBucketKeepsItsOwnLevelBesideALargerWindow() {
    Limiter limiter = limiter("peer(bucket(1/1m, burst=10) & 100/1h)");
    limiter.setLimit("peer(bucket(1/1m, burst=10) & 100/1h)");
    assertTrue(limiter.tryAcquire(10).isEmpty(), "a free burst");
  }

  @Test
  void anOpenPermitIsCountedOnceAfterAChangeToPeer() throws Exception {
    Limiter limiter = limiter("10/1m & concurrent(10)");
    for (int i = 0; i < 5; i++) {
      limiter.acquire();
    }
    limiter.setLimit("peer(10/1m) & concurrent(10)");
    assertTrue(limiter.tryAcquire(5).isPresent(), "five of ten are open, each counted twice");
  }
}
