package dev.pacegate.reactive;

import static dev.pacegate.reactive.Rig.limiter;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.Limiter;
import dev.pacegate.LimiterClosedException;
import dev.pacegate.time.ManualTime;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.reactivestreams.Subscription;

class ThrottleLatestTest {

  private final ManualTime time = ManualTime.manual();
  private final Limiter limiter = limiter(time, "spacing(100ms)");
  private final Rig<Integer, Integer> rig = new Rig<>(time, Pace.throttleLatest(limiter));

  @Test
  void passesTheNewestWhenThePermitComes() {
    rig.send(1, 2, 3).pass(99).send(4).pass(1).send(5).pass(100);
    assertEquals(List.of(1, 4, 5), rig.sink.elements);
    assertEquals(List.of(0L, 100L, 200L), rig.sink.millis());
  }

  @Test
  void anElementAfterIdlenessGoesAtOnce() {
    rig.send(1).pass(1_000).send(2).send(3);
    assertEquals(List.of(1, 2), rig.sink.elements);
  }

  @Test
  void asksUpstreamForAllItHas() {
    assertEquals(Long.MAX_VALUE, rig.source.requested.get());
  }

  @Test
  void standsInLineOnlyWithAnElementAndDemand() {
    var slow = new Rig<>(time, Pace.<Integer>throttleLatest(limiter), 1);
    limiter.tryAcquire();
    assertEquals(0, limiter.snapshot().waiting(), "no element");
    slow.send(1);
    assertEquals(1, limiter.snapshot().waiting());
    slow.pass(100).send(2, 3);
    assertEquals(0, limiter.snapshot().waiting(), "no demand");
    slow.pass(1_000).send(4);
    slow.sink.subscription.request(1);
    assertEquals(List.of(1, 4), slow.sink.elements, "the newest, at once");
  }

  @Test
  void theLastGoesWithItsPermitBeforeTheEnd() {
    rig.send(1, 2).source.complete();
    rig.pass(99);
    assertFalse(rig.sink.completed);
    rig.pass(1);
    assertEquals(List.of(1, 2), rig.sink.elements);
    assertTrue(rig.sink.completed);
    rig.assertNothingLeft(limiter);
  }

  @Test
  void completesAtOnceIfNothingIsHeld() {
    rig.send(1).source.complete();
    assertTrue(rig.sink.completed);
  }

  @Test
  void failsAtOnceAndGivesUpThePlace() {
    rig.send(1, 2);
    assertEquals(1, limiter.snapshot().waiting());
    var reason = new RuntimeException("upstream");
    rig.source.fail(reason);
    assertSame(reason, rig.sink.failure);
    rig.assertNothingLeft(limiter);
    rig.pass(1_000);
    assertEquals(List.of(1), rig.sink.elements);
  }

  @Test
  void cancellationGivesUpThePlace() {
    rig.send(1, 2).sink.subscription.cancel();
    assertTrue(rig.source.cancelled);
    rig.assertNothingLeft(limiter);
    rig.pass(1_000).send(3).pass(1_000);
    assertEquals(List.of(1), rig.sink.elements);
    assertEquals(1, limiter.snapshot().granted());
  }

  @Test
  void cancellationInPassingCostsNoFurtherPermit() {
    Limiter open = limiter(time, "10/1s");
    var sink = new Kept<Integer>(time, Long.MAX_VALUE);
    sink.then = element -> sink.subscription.cancel();
    var once = new Rig<>(time, Pace.throttleLatest(open), sink);
    sink.then =
        element -> {
          once.source.subscriber.onNext(2); // is held when the cancellation comes
          sink.subscription.cancel();
        };
    once.send(1);
    assertEquals(1, open.snapshot().granted());
  }

  @Test
  void elementsSentWithinTheRequestGoOnMeanwhile() {
    var sink = new Kept<Integer>(time, Long.MAX_VALUE);
    Pace.<Integer>throttleLatest(limiter)
        .apply(
            subscriber ->
                subscriber.onSubscribe(
                    new Subscription() {
                      @Override
                      public void request(long n) {
                        for (int i = 0; i < 5; i++) {
                          subscriber.onNext(i);
                          time.advance(Duration.ofMillis(50));
                        }
                        subscriber.onComplete();
                      }

                      @Override
                      public void cancel() {}
                    }))
        .subscribe(sink);
    assertEquals(List.of(0L, 100L, 200L), sink.millis());
    assertEquals(List.of(0, 1, 3), sink.elements);
    rig.pass(50);
    assertEquals(List.of(0, 1, 3, 4), sink.elements);
    assertTrue(sink.completed);
  }

  @Test
  void mergesOnRequest() {
    var sums = new Rig<>(time, Pace.<Integer>throttleLatest(limiter, Integer::sum));
    sums.send(1, 2, 3, 4).pass(100);
    assertEquals(List.of(1, 9), sums.sink.elements);
  }

  @Test
  void anExceptionOfMergingFailsTheStream() {
    var reason = new IllegalStateException("no merging");
    var broken =
        new Rig<>(
            time,
            Pace.<Integer>throttleLatest(
                limiter,
                (a, b) -> {
                  throw reason;
                }));
    broken.send(1, 2, 3);
    assertSame(reason, broken.sink.failure);
    assertTrue(broken.source.cancelled);
    broken.assertNothingLeft(limiter);
  }

  @Test
  void nothingIsMergedAfterTheEnd() {
    var merged = new AtomicInteger();
    var sums =
        new Rig<>(time, Pace.<Integer>throttleLatest(limiter, (a, b) -> merged.incrementAndGet()));
    sums.send(1, 2).sink.subscription.cancel();
    sums.send(3, 4, 5);
    assertEquals(0, merged.get());
  }

  @Test
  void aNullOfMergingFailsTheStream() {
    var broken = new Rig<>(time, Pace.<Integer>throttleLatest(limiter, (a, b) -> null));
    broken.send(1, 2, 3);
    assertInstanceOf(NullPointerException.class, broken.sink.failure);
  }

  @Test
  void aClosedLimiterFailsTheStream() {
    rig.send(1, 2);
    limiter.close();
    assertInstanceOf(LimiterClosedException.class, rig.sink.failure);
    assertTrue(rig.source.cancelled);
  }

  @Test
  void aRequestOfNothingFailsTheStream() {
    rig.sink.subscription.request(0);
    assertInstanceOf(IllegalArgumentException.class, rig.sink.failure);
    assertTrue(rig.source.cancelled);
  }

  @Test
  void permitsOfALimitOnWhatIsOpenAreGivenBack() {
    Limiter two = limiter(time, "unlimited");
    var passing = new Rig<>(time, Pace.<Integer>throttleLatest(two));
    two.setLimit("concurrent(1)");
    passing.send(1, 2, 3);
    assertEquals(List.of(1, 2, 3), passing.sink.elements);
    passing.assertNothingLeft(two);
  }

  /**
   * The adding thread has taken the aggregate out when the permit comes: it goes when it is back.
   */
  @Test
  void aPermitThatComesWhileMergingWaitsForWhatIsMerged() throws Exception {
    var merging = new CompletableFuture<Void>();
    var go = new CompletableFuture<Void>();
    var slow =
        new Rig<>(
            time,
            Pace.<Integer>throttleLatest(
                limiter,
                (a, b) -> {
                  merging.complete(null);
                  go.join();
                  return a + b;
                }));
    slow.send(1, 2);
    var upstream = new Thread(() -> slow.send(3));
    upstream.start();
    merging.join();
    slow.pass(100);
    assertEquals(List.of(1), slow.sink.elements);
    assertNull(slow.sink.failure);
    go.complete(null);
    upstream.join();
    assertEquals(List.of(1, 5), slow.sink.elements);
    slow.assertNothingLeft(limiter);
  }
}
