package dev.pacegate.redis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.time.ManualTime;
import io.lettuce.core.RedisCommandTimeoutException;
import io.lettuce.core.cluster.models.partitions.Partitions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** How often the nodes of a cluster are asked, and how long that may take, in virtual time. */
@Timeout(60)
class TopologyTest {

  private static final Duration SECOND = Duration.ofSeconds(1);

  private final ManualTime time = ManualTime.manual(-1);
  private final List<CompletableFuture<Void>> looks = new ArrayList<>();
  private final Topology topology = new Topology(Partitions::new, this::look, time);
  private int seen; // looks that were heeded

  TopologyTest() {
    topology.onRefresh(() -> seen++);
  }

  private CompletableFuture<Void> look() {
    var look = new CompletableFuture<Void>();
    looks.add(look);
    return look;
  }

  private CompletableFuture<Void> last() {
    return looks.get(looks.size() - 1);
  }

  @Test
  void aLookThatDoesNotEndIsNotWaitedFor() {
    var waiting = topology.refreshed().toCompletableFuture();
    time.advance(Topology.LONGEST.minusNanos(1));
    assertFalse(waiting.isDone());
    time.advanceNanos(1);
    assertTrue(waiting.isDone());
    assertEquals(0, seen);
    last().complete(null);
    assertEquals(1, seen); // what it tells at last is heeded
    topology.refresh();
    assertEquals(2, looks.size());
  }

  /** Each keeps a connection to every node. */
  @Test
  void looksThatDoNotEndBecomeRare() {
    for (int i = 0; i < 3600; i++) {
      topology.refresh();
      time.advance(SECOND);
    }
    assertTrue(looks.size() > 10, () -> "looks: " + looks.size()); // it does not give up
    assertTrue(looks.size() < 30, () -> "looks: " + looks.size());
    looks.get(0).completeExceptionally(new IllegalStateException("closed"));
    int before = looks.size();
    for (int i = 0; i < 10; i++) {
      time.advance(SECOND);
      topology.refresh();
      last().complete(null);
    }
    assertTrue(looks.size() - before >= 9, () -> "looks: " + (looks.size() - before));
  }

  @Test
  void inAnOutageThereIsALookEachSecond() {
    for (int i = 0; i < 1000; i++) {
      topology.refresh();
      last().complete(null);
      time.advance(Duration.ofMillis(10));
    }
    assertTrue(looks.size() >= 10 && looks.size() <= 16, () -> "looks: " + looks.size());
    assertEquals(looks.size(), seen);
  }

  @Test
  void aClientThatThrowsEndsTheLook() {
    var broken =
        new Topology(
            Partitions::new,
            () -> {
              throw new IllegalStateException("closed");
            },
            time);
    assertTrue(broken.refreshed().toCompletableFuture().isDone());
    assertEquals(0, time.pending());
  }

  /** A client waits for its first look without a limit. */
  @Test
  void theFirstLookIsBoundedToo() throws Exception {
    var ended = new CountDownLatch(1);
    var silent =
        new Topology(
            () -> {
              try {
                new CountDownLatch(1).await();
              } catch (InterruptedException e) {
                ended.countDown();
              }
              return new Partitions();
            },
            this::look,
            time);
    assertThrows(
        RedisCommandTimeoutException.class, () -> silent.requireKnown(Duration.ofMillis(20)));
    assertTrue(ended.await(60, TimeUnit.SECONDS)); // no thread is left
  }
}
