package dev.pacegate.waiting;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.KeyedLimiter;
import dev.pacegate.Limiter;
import dev.pacegate.Permit;
import dev.pacegate.Share;
import dev.pacegate.limit.Cost;
import dev.pacegate.time.ManualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** How long the oldest request in the queue has waited, as snapshots tell. */
@SuppressWarnings("FutureReturnValueIgnored") // they wait
class OldestWaitTest {

  private static final Duration SECOND = Duration.ofSeconds(1);

  private final ManualTime time = ManualTime.manual();

  private static Duration oldest(Limiter limiter) {
    return limiter.snapshot().oldestWait();
  }

  @Test
  void theOldestWaiterCountsUntilItLeaves() {
    Limiter limiter = Limiter.builder("1/1h").time(time).build();
    assertEquals(Duration.ZERO, oldest(limiter));
    assertTrue(limiter.tryAcquire().isPresent());
    CompletableFuture<Permit> first = limiter.acquireAsync();
    time.advance(SECOND.multipliedBy(5));
    limiter.acquireAsync();
    time.advance(SECOND.multipliedBy(7));
    assertEquals(SECOND.multipliedBy(12), oldest(limiter));
    assertTrue(limiter.snapshot().toString().contains("waiting 2 for up to 12s"));
    first.cancel(true);
    assertEquals(SECOND.multipliedBy(7), oldest(limiter));
    limiter.close();
    assertEquals(Duration.ZERO, oldest(limiter));
  }

  @Test
  void theOldestOfAllLanesCounts() {
    Limiter limiter =
        Limiter.builder("1/1h")
            .time(time)
            .lane("bulk", Share.weight(1))
            .lane("web", Share.weight(3))
            .build();
    assertTrue(limiter.tryAcquire().isPresent());
    limiter.lane("web").acquireAsync();
    time.advance(SECOND);
    limiter.lane("bulk").acquireAsync();
    time.advance(SECOND);
    assertEquals(SECOND.multipliedBy(2), oldest(limiter));
  }

  @Test
  void eachKeyHasAnOldestAndAllTogetherToo() {
    KeyedLimiter<String> keyed = KeyedLimiter.builder("1/1h").time(time).build();
    for (String key : new String[] {"a", "b", "c"}) {
      assertTrue(keyed.tryAcquire(key).isPresent());
    }
    keyed.acquireAsync("b");
    time.advance(SECOND);
    CompletableFuture<Permit> ofA = keyed.acquireAsync("a");
    time.advance(SECOND);
    keyed.acquireAsync("b").cancel(true);
    assertEquals(SECOND.multipliedBy(2), oldest(keyed.limiter("b")));
    assertEquals(SECOND, oldest(keyed.limiter("a")));
    assertEquals(Duration.ZERO, oldest(keyed.limiter("c")));
    assertEquals(Duration.ZERO, oldest(keyed.limiter("never used")));
    assertEquals(SECOND.multipliedBy(2), oldest(keyed.all()));
    keyed.limiter("b").close(); // refuses its waiters
    assertEquals(SECOND, oldest(keyed.all()));
    assertTrue(ofA.cancel(true));
    assertEquals(Duration.ZERO, oldest(keyed.all()));
  }

  /** It has left the queue, and still waits. */
  @Test
  void aFutureThatIsNotCollectedInTimeStillCounts() {
    var tasks = new ArrayList<Runnable>();
    KeyedLimiter<String> keyed = KeyedLimiter.builder("1/1s").time(time).build();
    assertTrue(keyed.tryAcquire("a").isPresent());
    keyed.limiter("a").acquireAsync(Cost.ONE, tasks::add, permit -> {});
    time.advance(SECOND.multipliedBy(3)); // called, and the executor does not come
    assertEquals(1, keyed.all().snapshot().waiting());
    assertEquals(SECOND.multipliedBy(3), oldest(keyed.all()));
    assertEquals(SECOND.multipliedBy(3), oldest(keyed.limiter("a")));
    assertEquals(Duration.ZERO, oldest(keyed.limiter("b")));
    tasks.forEach(Runnable::run);
    assertEquals(Duration.ZERO, oldest(keyed.all()));
  }
}
