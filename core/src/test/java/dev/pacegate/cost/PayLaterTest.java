package dev.pacegate.cost;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.CostTooLargeException;
import dev.pacegate.Limiter;
import dev.pacegate.Permit;
import dev.pacegate.Share;
import dev.pacegate.limit.Cost;
import dev.pacegate.limit.Limit;
import dev.pacegate.limit.Limits;
import dev.pacegate.time.ManualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A queue before a limit whose costs are paid by the next request. */
@SuppressWarnings("FutureReturnValueIgnored") // what becomes of a place is seen in `ran`
class PayLaterTest {

  private static final Duration SECOND = Duration.ofSeconds(1);

  private final ManualTime time = ManualTime.manual();
  private final List<Runnable> busy = new ArrayList<>(); // an executor that does nothing by itself
  private final List<String> ran = new ArrayList<>();

  private Limiter limiter(String limit) {
    return Limiter.builder(limit).time(time).executor(Runnable::run).build();
  }

  private void ask(Limiter limiter, String name, long cost) {
    limiter.acquireAsync(Cost.of(cost), busy::add, permit -> ran.add(name));
  }

  private void threadsCome() {
    List<Runnable> all = List.copyOf(busy);
    busy.clear();
    all.forEach(Runnable::run);
  }

  /** Together they would be one request, and go; one after another only the first may. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "bucket(1/1s, pay=later, debt=9, initial=empty)",
        "bucket(1/1s, pay=later, debt=9, initial=empty, slack=1ns)",
        "warmup(1/1s, over=0s)",
        "9/9s & warmup(1/1s, over=0s)"
      })
  void noWaiterGoesBeforeOneThatHasBeenCalled(String limit) {
    Limiter limiter = limiter(limit);
    ask(limiter, "first", 3);
    ask(limiter, "second", 1);
    assertEquals(1, busy.size(), "the second is not called, as the first has yet to be paid for");
    assertFalse(limiter.tryAcquire().isPresent());
    threadsCome();
    assertEquals(List.of("first"), ran);
    time.advance(Duration.ofSeconds(3));
    assertFalse(limiter.tryAcquire().isPresent());
    threadsCome();
    assertEquals(List.of("first", "second"), ran);
    time.advance(SECOND);
    assertTrue(limiter.tryAcquire().isPresent());
  }

  @Test
  void aFullBucketGoesTogetherAndOneMore() {
    Limiter limiter = limiter("bucket(1/1s, burst=3, pay=later)");
    for (int i = 0; i < 10; i++) {
      ask(limiter, "" + i, 1);
    }
    assertEquals(4, busy.size());
  }

  @Test
  void aCostAboveBurstAndDebtIsRefused() throws Exception {
    Limiter limiter = limiter("bucket(5/1s, burst=5, pay=later, debt=2)");
    assertThrows(CostTooLargeException.class, () -> limiter.acquire(8));
    limiter.acquire(7);
    assertEquals(Duration.ofMillis(400), limiter.estimateWait(1));
    assertEquals(Duration.ofMillis(600), limiter.estimateWait(3));
    assertEquals(Duration.ofMillis(1400), limiter.estimateWait(7));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "bucket(1/1s, burst=2, pay=later, debt=8)",
        "bucket(10/1s, burst=2, pay=later, debt=8)",
        "bucket(10/1s, burst=20, pay=later, debt=8)",
        "bucket(1/10s, burst=2, pay=later, debt=8)",
        "bucket(1/10s, burst=1, pay=later, debt=4)"
      })
  void debtKeepsItsPriceWhenTheLimitChanges(String next) {
    Limiter limiter = limiter("bucket(1/1s, burst=2, pay=later, debt=8)");
    assertTrue(limiter.tryAcquire(6).isPresent());
    CompletableFuture<Permit> waiting = limiter.acquireAsync();
    limiter.setLimit(next);
    time.advance(Duration.ofSeconds(4).minusNanos(1));
    assertFalse(waiting.isDone());
    time.advanceNanos(1);
    assertTrue(waiting.isDone());
  }

  @Test
  void aHigherCeilingStopsNoRequest() {
    Limiter limiter = limiter("bucket(1/1s, pay=later, debt=1)");
    assertTrue(limiter.tryAcquire(2).isPresent());
    limiter.setLimit("bucket(1/1s, pay=later, debt=10)");
    assertEquals(Duration.ofSeconds(1), limiter.estimateWait(10));
  }

  /** Else two of the old rate would be followed by ten of the new ceiling. */
  @Test
  void aHigherCeilingOfASlowerRateIsNoFreeBurst() {
    Limiter limiter = limiter("bucket(1/1s, pay=later, debt=1)");
    assertTrue(limiter.tryAcquire(2).isPresent());
    limiter.setLimit("bucket(1/2s, pay=later, debt=10)");
    assertEquals(Duration.ofSeconds(1 + 2 * 9), limiter.estimateWait(1));
  }

  @Test
  void paidAtOnceFromNowOnIsStillPaid() {
    Limiter limiter = limiter("bucket(1/1s, pay=later, debt=5)");
    assertTrue(limiter.tryAcquire(6).isPresent());
    limiter.setLimit("bucket(10/1s)");
    assertEquals(Duration.ofMillis(5100), limiter.estimateWait(1));
    limiter.setLimit(Limits.unlimited());
    assertEquals(Duration.ZERO, limiter.estimateWait(1));
  }

  /** Nothing is ever released, and yet changes to and fro make a debt. */
  @ParameterizedTest
  @CsvSource({
    "'bucket(5/1s, burst=5, pay=later)', 'bucket(5/1s, burst=5, pay=later, debt=1000)'",
    "'bucket(5/1s, burst=5)', 'bucket(5/1s, burst=5, pay=later)'",
    "'peer(bucket(5/1s, burst=5, initial=full))', 'bucket(5/1s, burst=5, pay=later)'"
  })
  void changesToAndFroOfAnUnusedLimiterMakeNoDebt(String one, String other) {
    Limiter limiter = limiter(one);
    for (int i = 0; i < 10; i++) {
      limiter.setLimit(other);
      limiter.setLimit(one);
    }
    assertEquals(Duration.ZERO, limiter.estimateWait(1));
  }

  @Test
  void aWaiterIsNoIdlenessWhenTheLimitChanges() {
    Limiter limiter = limiter("warmup(2/1s, over=4s)");
    for (int i = 0; i < 20; i++) {
      time.advance(limiter.estimateWait(1));
      assertTrue(limiter.tryAcquire().isPresent());
    }
    limiter.pause();
    CompletableFuture<Permit> waiting = limiter.acquireAsync();
    time.advance(Duration.ofSeconds(100));
    limiter.setLimit("warmup(2/1s, over=4s)");
    limiter.resume();
    assertTrue(waiting.isDone());
    assertEquals(Duration.ofMillis(500), limiter.estimateWait(1));
  }

  /** Counts how often a thread is sent for, and how many alarms: about two per release. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "bucket(1000/1s, burst=1)",
        "bucket(1000/1s, burst=5, pay=later, debt=5)",
        "warmup(1000/1s, over=100ms)"
      })
  void noWaiterIsCalledInVain(String limit) {
    var sent = new int[1];
    var done = new int[1];
    Limiter limiter = limiter(limit);
    for (int i = 0; i < 1000; i++) {
      limiter.acquireAsync(
          Cost.ONE,
          task -> {
            sent[0]++;
            busy.add(task);
          },
          permit -> done[0]++);
    }
    for (int i = 0; i < 40_000 && done[0] < 1000; i++) {
      threadsCome();
      time.advance(Duration.ofNanos(100_000));
    }
    assertEquals(1000, done[0]);
    assertEquals(1000, sent[0]);
  }

  /** A request that has to pay for others must wait, so there is nothing to reserve. */
  @ParameterizedTest
  @ValueSource(strings = {"bucket(10/1s, burst=100, pay=later)", "warmup(10/1s, over=0s)"})
  void thereIsNoShareOfIt(String limit) {
    Limiter.Builder builder = Limiter.builder(limit).lane("a", Share.weight(1).reserving(10));
    var refused = assertThrows(IllegalArgumentException.class, builder::build);
    assertTrue(refused.toString().contains("can be reserved"), refused.toString());
  }

  @Test
  void noPeerCountsSo() {
    for (String text :
        List.of("bucket(10/1s, pay=later)", "warmup(1/1s, over=3s)", "fixed(3/1s)")) {
      Limit limit = Limits.parse(text);
      assertEquals(limit, limit.asPeerCounts());
    }
  }
}
