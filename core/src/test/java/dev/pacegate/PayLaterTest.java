package dev.pacegate;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.limit.Cost;
import dev.pacegate.limit.Limit;
import dev.pacegate.time.ManualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A line before a limit whose costs are paid by whoever comes next. */
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
  @ValueSource(strings = {"bucket(1/1s, pay=later, debt=9, initial=empty)"})
  void nobodyGoesBeforeOneThatHasBeenCalled(String limit) {
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
  void whatIsInTheBucketGoesTogetherAndOneMore() {
    Limiter limiter = limiter("bucket(1/1s, burst=3, pay=later)");
    for (int i = 0; i < 10; i++) {
      ask(limiter, "" + i, 1);
    }
    assertEquals(4, busy.size());
  }

  @Test
  void whatBurstAndDebtDoNotCoverIsRefused() throws Exception {
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
  void aHigherCeilingIsNoFreeBurst() {
    Limiter limiter = limiter("bucket(1/1s, pay=later, debt=1)");
    assertTrue(limiter.tryAcquire(2).isPresent());
    limiter.setLimit("bucket(1/1s, pay=later, debt=10)");
    assertEquals(Duration.ofSeconds(1 + 9), limiter.estimateWait(1));
  }

  @Test
  void paidAtOnceFromNowOnIsStillPaid() {
    Limiter limiter = limiter("bucket(1/1s, pay=later, debt=5)");
    assertTrue(limiter.tryAcquire(6).isPresent());
    limiter.setLimit("bucket(10/1s)");
    assertEquals(Duration.ofMillis(5100), limiter.estimateWait(1));
    limiter.setLimit(Limit.unlimited());
    assertEquals(Duration.ZERO, limiter.estimateWait(1));
  }
}
