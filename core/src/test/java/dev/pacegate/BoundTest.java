package dev.pacegate;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.time.ManualTime;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** A foretold wait is a lower bound, however permits end. */
class BoundTest {

  private final ManualTime time = ManualTime.manual();

  private Limiter limiter(String limit) {
    return Limiter.builder(limit).time(time).build();
  }

  @Test
  void aBoundOfAPeerWindowIsABoundAlsoIfAPermitIsUnused() throws Exception {
    Limiter limiter = limiter("peer(1/1m)");
    Permit refused = limiter.acquire();
    Duration bound = limiter.estimateWait(1);
    refused.unused();
    assertTrue(limiter.tryAcquire().isPresent());
    assertEquals(Duration.ZERO, bound);
  }

  @Test
  void aBoundOfAPeerBucketIsABoundAlsoIfAPermitIsUnused() throws Exception {
    Limiter limiter = limiter("peer(bucket(1/1m, burst=1, initial=full))");
    Permit refused = limiter.acquire();
    Duration bound = limiter.estimateWait(1);
    refused.unused();
    assertTrue(limiter.tryAcquire().isPresent());
    assertEquals(Duration.ZERO, bound);
  }
}
