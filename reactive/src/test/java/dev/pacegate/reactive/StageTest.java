package dev.pacegate.reactive;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.Limiter;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.reactivestreams.Subscription;
import reactor.core.publisher.Flux;

/** What all operators have in common, tried on the throttle: the rules beyond the TCK. */
class StageTest {

  private final Bench bench = new Bench();
  private final Source<Integer> source = new Source<>();

  @Test
  void asksForOneElementAtATimeAndForNoneWithoutDemand() {
    var sink = bench.sink(bench.throttle("1/1s").apply(source));
    assertEquals(0, source.requested);
    sink.request(2);
    assertEquals(1, source.requested);
    source.send(1);
    assertEquals(2, source.requested);
    source.send(2);
    assertEquals(0, source.outstanding(), "while one is held");
    bench.advance(1_000);
    assertEquals(2, source.requested, "all that was asked for is there");
    sink.request(1);
    assertEquals(3, source.requested);
  }

  @Test
  void asksOnceThoughDownstreamAsksAgain() {
    bench.sink(bench.throttle("1/1s").apply(source)).request(1).request(5);
    assertEquals(1, source.requested);
  }

  @Test
  void demandAddsUpToNoEnd() {
    var sink = bench.sink(bench.throttle("unlimited").apply(source));
    sink.request(Long.MAX_VALUE).request(Long.MAX_VALUE).request(1);
    source.send(1, 2, 3);
    source.complete();
    assertEquals(List.of(1, 2, 3), sink.elements);
    assertTrue(sink.completed);
  }

  @Test
  void demandThatIsNoneIsAFailure() {
    for (long n : new long[] {0, -1, Long.MIN_VALUE}) {
      var upstream = new Source<Integer>();
      var sink = bench.sink(bench.throttle("1/1s").apply(upstream)).request(2);
      upstream.send(1, 2);
      sink.request(n);
      var failure = assertInstanceOf(IllegalArgumentException.class, sink.failure);
      assertTrue(String.valueOf(failure.getMessage()).contains(String.valueOf(n)));
      assertTrue(upstream.cancelled && bench.isQuiet());
    }
  }

  @Test
  void aMillionElementsAtOnceNeedNoStack() {
    Operator<Integer, Integer> throttle = bench.throttle("unlimited");
    var count = Flux.range(0, 1_000_000).transform(throttle).transform(throttle).count().block();
    assertEquals(1_000_000L, count);
  }

  @Test
  void aMillionElementsAskedForOneByOneNeedNoStack() {
    var count = new int[1];
    Flux.range(0, 1_000_000)
        .transform(bench.throttle("unlimited"))
        .subscribe(
            new Sink<>(bench.time) {
              @Override
              public void onSubscribe(Subscription subscription) {
                super.onSubscribe(subscription);
                request(1);
              }

              @Override
              public void onNext(Integer element) {
                count[0]++;
                request(1);
              }
            });
    assertEquals(1_000_000, count[0]);
  }

  @Test
  void nothingComesBeforeOnSubscribeHasReturned() {
    var seen = new ArrayList<String>();
    bench
        .throttle("unlimited")
        .apply(Source.of(1))
        .subscribe(
            new Sink<>(bench.time) {
              @Override
              public void onSubscribe(Subscription subscription) {
                subscription.request(1);
                seen.add("subscribed");
              }

              @Override
              public void onNext(Integer element) {
                seen.add("element");
              }
            });
    assertEquals(List.of("subscribed", "element"), seen);
  }

  @Test
  void nothingComesAfterCancelFromWithinAnElement() {
    var seen = new ArrayList<Integer>();
    var upstream = Source.of(1, 2, 3);
    var sink =
        new Sink<Integer>(bench.time) {
          @Override
          public void onNext(Integer element) {
            seen.add(element);
            cancel();
          }
        };
    bench.throttle("unlimited").apply(upstream).subscribe(sink);
    sink.request(3);
    assertEquals(List.of(1), seen);
    assertTrue(upstream.cancelled);
    assertEquals(1, upstream.requested);
    assertFalse(sink.isOver());
  }

  @Test
  void anExceptionOfDownstreamCancelsUpstreamAndReachesItsCaller() {
    var mine = new IllegalStateException("on purpose");
    var limiter = bench.limiter("unlimited");
    var sink =
        new Sink<Integer>(bench.time) {
          @Override
          public void onNext(Integer element) {
            throw mine;
          }
        };
    Pace.<Integer>throttle(limiter).apply(source).subscribe(sink);
    limiter.setLimit("concurrent(1)");
    sink.request(2);
    assertSame(mine, assertThrows(IllegalStateException.class, () -> source.send(1)));
    assertTrue(source.cancelled);
    assertEquals(0, limiter.snapshot().open());
    sink.request(1); // it is over, and nothing is stuck
    assertFalse(sink.isOver());
  }

  @Test
  void anExceptionOfDownstreamAfterAWaitReachesTheThreadsHandler() throws InterruptedException {
    var mine = new IllegalStateException("on purpose");
    var sink =
        new Sink<Integer>(bench.time) {
          @Override
          public void onNext(Integer element) {
            if (element == 2) {
              throw mine;
            }
          }
        };
    bench.throttle("1/1s").apply(source).subscribe(sink);
    sink.request(3);
    source.send(1, 2, 3);
    var heard = new AtomicReference<@Nullable Throwable>();
    var thread = new Thread(() -> bench.advance(1_000));
    thread.setUncaughtExceptionHandler((here, failure) -> heard.set(failure));
    thread.start();
    thread.join();
    assertSame(mine, heard.get());
    assertTrue(source.cancelled && bench.isQuiet());
  }

  @Test
  void anUpstreamThatSendsMoreThanItWasAskedForIsAFailure() {
    var sink = bench.sink(bench.throttle("1/1s").apply(source)).request(9);
    source.send(1, 2);
    source.force(3);
    source.force(4);
    assertInstanceOf(IllegalStateException.class, sink.failure);
    assertTrue(source.cancelled && bench.isQuiet());
  }

  @Test
  void anUpstreamThatSendsBeforeItWasAskedIsAFailure() {
    Limiter all = bench.limiter("unlimited");
    var calls = new AtomicInteger();
    List<Operator<Integer, Integer>> operators =
        List.of(
            Pace.throttle(all),
            Pace.enforce(all),
            Pace.mapThrottled(
                all, element -> CompletableFuture.completedFuture(calls.incrementAndGet())));
    for (Operator<Integer, Integer> operator : operators) {
      var upstream = new Source<Integer>();
      var sink = bench.sink(operator.apply(upstream));
      upstream.force(1);
      assertEquals(List.of(), sink.elements, "it was not asked for");
      assertInstanceOf(IllegalStateException.class, sink.failure);
      assertTrue(upstream.cancelled);
    }
    assertEquals(0, calls.get());
  }

  @Test
  void anUnaskedElementBeforeAFailureDoesNotGo() {
    var sink = bench.sink(bench.throttle("unlimited").apply(source));
    source.force(1);
    source.fail(new IllegalStateException("on purpose"));
    assertEquals(List.of(), sink.elements);
  }

  @Test
  void nothingIsAskedForAfterAFailure() {
    var sink = bench.sink(bench.enforce("1/1s").apply(source)).request(9);
    source.send(1, 2);
    assertInstanceOf(RateExceededException.class, sink.failure);
    assertEquals(2, source.requested);
  }

  @Test
  void aSecondSubscriptionIsCancelled() {
    var stage =
        new Throttle<Integer>(bench.owning("1/1s"), Bench.ONE, new Sink<Integer>(bench.time));
    var first = new Source<Integer>();
    stage.onSubscribe(first);
    stage.onSubscribe(source);
    assertTrue(source.cancelled);
    assertFalse(first.cancelled);
  }

  @Test
  void upstreamIsNotCancelledAfterItHasEnded() {
    var sink = bench.sink(bench.throttle("1/1s").apply(source)).request(9);
    source.send(1, 2);
    source.complete();
    sink.cancel();
    assertFalse(source.cancelled);
    assertTrue(bench.isQuiet());
  }

  @Test
  void cancelReturnsThoughDownstreamIsBusy() throws InterruptedException {
    var busy = new CountDownLatch(1);
    var free = new CountDownLatch(1);
    var sink =
        new Sink<Integer>(bench.time) {
          @Override
          public void onNext(Integer element) {
            busy.countDown();
            await(free);
          }
        };
    bench.throttle("unlimited").apply(source).subscribe(sink);
    var sending =
        CompletableFuture.runAsync(
            () -> {
              sink.request(2);
              source.send(1, 2);
            });
    busy.await();
    sink.cancel();
    sink.request(1);
    free.countDown();
    sending.join();
    assertTrue(source.cancelled);
    assertEquals(1, source.requested);
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  @SuppressWarnings("NullAway") // on purpose
  void nullIsNothing() {
    Operator<Integer, Integer> throttle = bench.throttle("1/1s");
    assertThrows(NullPointerException.class, () -> throttle.apply(null));
    assertThrows(NullPointerException.class, () -> throttle.applyTo(null));
    assertThrows(NullPointerException.class, () -> throttle.apply(source).subscribe(null));
    assertThrows(NullPointerException.class, () -> Pace.throttle((String) null));
  }
}
