package dev.pacegate.dispatch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.KeyedLimiter;
import dev.pacegate.audit.Audit;
import dev.pacegate.limit.Limit;
import dev.pacegate.limit.Limits;
import dev.pacegate.time.ManualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Throttlers and executors run on a key as on any limiter. */
class KeyDispatchTest {

  private static final Duration SECOND = Duration.ofSeconds(1);

  private final ManualTime time = ManualTime.manual();
  private final KeyedLimiter<String> keyed =
      KeyedLimiter.builder("2/1s").time(time).executor(Runnable::run).build();

  @Test
  void aThrottlerDeliversAtThePaceOfItsKey() throws InterruptedException {
    var delivered = new ArrayList<Integer>();
    try (Throttler<Integer> throttler =
        Throttler.<Integer>builder(keyed.limiter("a")).executor(Runnable::run).build()) {
      throttler.target(delivered::add);
      for (int i = 1; i <= 5; i++) {
        throttler.send(i);
      }
      assertEquals(List.of(1, 2), delivered);
      assertTrue(keyed.tryAcquire("b").isPresent());
      assertFalse(keyed.tryAcquire("a").isPresent());
      time.advance(SECOND);
      assertEquals(List.of(1, 2, 3, 4), delivered);
      keyed.limiter("a").pause();
      time.advance(SECOND);
      assertEquals(4, delivered.size());
      keyed.limiter("a").resume();
      assertEquals(List.of(1, 2, 3, 4, 5), delivered);
    }
    time.advance(SECOND.multipliedBy(2));
    assertEquals(0, keyed.size());
    assertTrue(keyed.tryAcquire("a").isPresent(), "which the throttler does not close");
  }

  @Test
  void anExecutorRunsItsTasksAtThePaceOfItsKey() {
    var ran = new ArrayList<Integer>();
    var executor = ThrottledExecutorService.of(keyed.limiter("a"), Runnable::run);
    for (int i = 1; i <= 5; i++) {
      int number = i;
      executor.execute(() -> ran.add(number));
    }
    assertEquals(List.of(1, 2), ran);
    time.advance(SECOND);
    assertEquals(List.of(1, 2, 3, 4), ran);
    assertEquals(1, executor.shutdownNow().size());
    time.advance(SECOND.multipliedBy(2));
    assertEquals(4, ran.size());
    assertEquals(0, keyed.size());
  }

  @Test
  void onRealThreadsEachKeyKeepsItsLimit() throws Exception {
    Limit limit = Limits.parse("5/100ms");
    KeyedLimiter<Integer> keyed = KeyedLimiter.builder(limit).stamped(true).build();
    var pool = Executors.newFixedThreadPool(8);
    try {
      var done = new CountDownLatch(4 * 20);
      var starts = new ArrayList<ConcurrentLinkedQueue<Long>>();
      long began = System.nanoTime();
      for (int key = 0; key < 4; key++) {
        var ofKey = new ConcurrentLinkedQueue<Long>();
        starts.add(ofKey);
        var executor = ThrottledExecutorService.of(keyed.limiter(key), pool);
        for (int i = 0; i < 20; i++) {
          executor.execute(
              () -> {
                ofKey.add(System.nanoTime());
                done.countDown();
              });
        }
      }
      assertTrue(done.await(60, TimeUnit.SECONDS));
      assertTrue(System.nanoTime() - began >= 300_000_000, "three intervals for 20 of 5");
      for (ConcurrentLinkedQueue<Long> ofKey : starts) {
        assertEquals(20, ofKey.size());
      }
      assertEquals(80, keyed.all().snapshot().granted());
    } finally {
      pool.shutdownNow();
    }
  }

  @Test
  void releasesToThreadsKeepTheAuditedPromise() throws Exception {
    Limit limit = Limits.parse("3/20ms");
    KeyedLimiter<Integer> keyed = KeyedLimiter.builder(limit).stamped(true).build();
    var audits = new ArrayList<Audit>();
    var threads = new ArrayList<Thread>();
    for (int key = 0; key < 3; key++) {
      var audit = Audit.of(limit);
      audits.add(audit);
      var limiter = keyed.limiter(key);
      var thread =
          new Thread(
              () -> {
                try {
                  for (int i = 0; i < 15; i++) {
                    audit.add(limiter.acquire().releasedAt());
                  }
                } catch (InterruptedException stopped) {
                  Thread.currentThread().interrupt();
                }
              });
      thread.start();
      threads.add(thread);
    }
    for (Thread thread : threads) {
      thread.join(20_000);
    }
    for (Audit audit : audits) {
      assertEquals(15, audit.report().count());
      assertTrue(audit.report().kept(), () -> audit.report().text());
    }
  }
}
