package dev.pacegate.pekko;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.CostTooLargeException;
import dev.pacegate.KeyedLimiter;
import dev.pacegate.Limiter;
import dev.pacegate.LimiterClosedException;
import dev.pacegate.LimiterListener;
import dev.pacegate.WaitQueueFullException;
import dev.pacegate.limit.Cost;
import dev.pacegate.limit.LimitFormatException;
import dev.pacegate.limit.Limits;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import org.apache.pekko.NotUsed;
import org.apache.pekko.stream.ActorAttributes;
import org.apache.pekko.stream.Materializer;
import org.apache.pekko.stream.javadsl.Flow;
import org.apache.pekko.stream.javadsl.Keep;
import org.apache.pekko.stream.javadsl.Sink;
import org.apache.pekko.stream.javadsl.Source;
import org.apache.pekko.stream.testkit.TestPublisher;
import org.apache.pekko.stream.testkit.javadsl.TestSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How streams end, and what they leave behind: see also {@link #leavesNothingBehind}. */
class LifeTest extends StreamTest {

  private final RuntimeException failure = new IllegalStateException("upstream");
  private final Limiter limiter = limiter("bucket(1/100ms)");

  /** Returns a stream whose limiter has just let 1 through, and which holds 2. */
  private Ends<Integer, Integer> holdingOne() {
    var ends = run(Throttle.<Integer>of(limiter), 5);
    ends.send(List.of(1, 2));
    ends.sink().expectNext(1);
    assertEquals(1, limiter.snapshot().waiting());
    return ends;
  }

  @Test
  void completesAtOnceIfNothingIsHeld() {
    run(Throttle.<Integer>of(limiter), 1).complete();
  }

  @Test
  void completesAfterWhatIsHeld() {
    var ends = holdingOne();
    ends.source().sendComplete();
    after(99);
    ends.expectNothing();
    after(1);
    ends.sink().expectNext(2).expectComplete();
  }

  @Test
  void failsAtOnceAndLosesWhatIsHeld() {
    var ends = holdingOne();
    ends.source().sendError(failure);
    assertSame(failure, ends.sink().expectError());
    assertEquals(0, limiter.snapshot().waiting());
    after(1000);
    assertEquals(1, limiter.snapshot().granted());
  }

  @Test
  void passesOnAllButWhatIsHeldBeforeAFailure() {
    var ends = run(Throttle.<Integer>of(limiter), 5);
    ends.send(List.of(1, 2));
    ends.sink().expectNext(1);
    after(100);
    ends.sink().expectNext(2);
    ends.source().sendError(failure);
    assertSame(failure, ends.sink().expectError());
  }

  @Test
  void givesUpItsPlaceWhenCancelled() {
    var ends = holdingOne();
    ends.sink().cancel();
    ends.source().expectCancellation();
    assertEquals(0, limiter.snapshot().waiting());
    assertEquals(0, time.pending());
  }

  @Test
  void givesUpItsPlaceWhenTheMaterializerIsShutDown() {
    Materializer own = Materializer.createMaterializer(system);
    numbers(2).via(Throttle.of(limiter)).runWith(Sink.ignore(), own);
    assertEquals(1, limiter.snapshot().waiting());
    own.shutdown();
    assertEquals(0, limiter.snapshot().waiting());
  }

  @Test
  void failsIfTheLimiterIsClosedWhileAnElementWaits() {
    var ends = holdingOne();
    limiter.close();
    assertInstanceOf(LimiterClosedException.class, ends.sink().expectError());
    ends.source().expectCancellation();
  }

  @Test
  void failsIfTheLimiterIsClosedBefore() {
    limiter.close();
    var sink = run(numbers(1), Throttle.of(limiter), 1);
    assertInstanceOf(LimiterClosedException.class, sink.expectError());
  }

  @Test
  void failsIfTheLineIsFull() {
    Limiter noLine =
        Limiter.builder("bucket(1/100ms)").time(time).executor(Runnable::run).maxWaiting(0).build();
    var sink = run(numbers(2), Throttle.of(noLine), 2);
    sink.expectNext(1);
    assertInstanceOf(WaitQueueFullException.class, sink.expectError());
  }

  @Test
  void failsIfTheCostCanNeverPass() {
    var sink = run(numbers(1), Throttle.byCost(limiter("10/1s"), n -> Cost.of(11)), 1);
    assertInstanceOf(CostTooLargeException.class, sink.expectError());
  }

  @Test
  void failsIfTheCostIsNotCounted() {
    Limiter spaced = limiter("spacing(1s)");
    for (Flow<Integer, Integer, NotUsed> flow :
        List.of(
            Throttle.<Integer>byCost(spaced, n -> Cost.of(2)),
            Throttle.<Integer>enforcingByCost(spaced, n -> Cost.of(2)),
            Throttle.<Integer, Integer>mapAsyncByCost(
                spaced, n -> Cost.of(2), 4, CompletableFuture::completedFuture))) {
      assertInstanceOf(
          IllegalArgumentException.class, run(numbers(1), flow, 1).expectError(), flow.toString());
    }
    assertEquals(0, spaced.snapshot().granted());
  }

  @Test
  void failsIfTheCostCanNoLongerPass() {
    Limiter window = limiter("10/1s");
    var sink = run(numbers(2), Throttle.byCost(window, n -> Cost.of(6)), 2);
    sink.expectNext(1);
    window.setLimit("5/1s");
    after(2000);
    assertInstanceOf(CostTooLargeException.class, sink.expectError());
  }

  @Test
  void endsPermitsOnceTheElementIsPushed() {
    Limiter peer = limiter("2/1s");
    var ends = run(Throttle.<Integer>of(peer), 3);
    peer.setLimit("peer(2/1s) & concurrent(1)");
    ends.send(List.of(1, 2, 3));
    ends.sink().expectNext(1, 2);
    assertEquals(0, peer.snapshot().open());
    ends.expectNothing();
    after(1100);
    ends.sink().expectNext(3);
    ends.complete();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "peer(10/1s)",
        "peer(10/1s, counted=1s)",
        "concurrent(1)",
        "10/1s & concurrent(4)",
        "aligned(10/1m)"
      })
  void aLimitThatNeedsTheAnswerIsRefused(String text) {
    Limiter shared = limiter(text);
    assertRefused(text, () -> Throttle.of(shared));
    assertRefused(text, () -> Throttle.of(text));
    assertRefused(text, () -> Throttle.enforcing(shared));
    assertRefused(text, () -> Throttle.enforcing(shared.limit()));
    assertRefused(text, () -> ThrottleWithContext.of(shared));
    assertRefused(text, () -> ThrottleWithContext.enforcing(shared));
    assertRefused(text, () -> Batches.of(1, shared));
    assertRefused(text, () -> Batches.upTo(1).paced(shared.limit()));
  }

  @Test
  void theLimitOfAllKeysIsRefused() {
    String all = "peer(1/1s) & concurrent(1)";
    try (KeyedLimiter<String> keyed = KeyedLimiter.builder("100/1s").within(all).build()) {
      Limiter key = keyed.limiter("a");
      assertRefused(all, () -> Throttle.of(key));
      assertRefused(all, () -> Throttle.enforcing(key));
      assertRefused(all, () -> ThrottleWithContext.of(key));
      assertRefused(all, () -> Batches.of(1, key));
    }
  }

  private static void assertRefused(String limit, Runnable construction) {
    var refused = assertThrows(IllegalArgumentException.class, construction::run);
    String message = String.valueOf(refused.getMessage());
    assertTrue(message.startsWith(Limits.parse(limit) + " counts an element until it is"), message);
  }

  @Test
  void waitsForDemandBeforeItTakesAPermit() {
    var ends = run(Throttle.<Integer>of(limiter), 1);
    ends.send(List.of(1, 2));
    ends.sink().expectNext(1);
    after(1000);
    assertEquals(1, limiter.snapshot().granted());
    ends.sink().request(1);
    ends.sink().expectNext(2);
    ends.complete();
  }

  @Test
  void pushesAtTheInstantOfThePermit() {
    var released = new ArrayList<Long>();
    var pushed = new ArrayList<Long>();
    Limiter told = telling("bucket(3/1s, burst=2)", released);
    numbers(50)
        .via(Throttle.of(told))
        .runWith(Sink.foreach(n -> pushed.add(time.nanoTime())), materializer);
    IntStream.range(0, 2200).forEach(step -> time.advanceNanos(7_777_777));
    assertEquals(50, pushed.size());
    assertEquals(released, pushed);
  }

  @Test
  @Timeout(60)
  void takesNoPermitWhileItCannotPush() throws InterruptedException {
    var released = new ArrayList<Long>();
    Limiter told = telling("bucket(1/100ms)", released);
    var busy = new CountDownLatch(1);
    var done = new CountDownLatch(1);
    Source<Integer, TestPublisher.Probe<Integer>> other =
        TestSource.<Integer>create(system).map(element -> block(element, busy, done));
    var run =
        other
            .merge(numbers(2).via(Throttle.of(told)))
            .toMat(Sink.ignore(), Keep.both())
            .withAttributes(ActorAttributes.dispatcher("pekko.actor.default-dispatcher"))
            .run(materializer);
    while (told.snapshot().waiting() == 0 && !Thread.currentThread().isInterrupted()) {
      Thread.onSpinWait();
    }
    run.first().sendNext(99);
    busy.await();
    after(100); // it is called, but its thread is busy
    after(50);
    done.countDown();
    run.first().sendComplete();
    await(run.second());
    assertEquals(List.of(0L, 150_000_000L), released);
  }

  private static Integer block(Integer element, CountDownLatch busy, CountDownLatch done)
      throws InterruptedException {
    busy.countDown();
    done.await();
    return element;
  }

  private Limiter telling(String limit, List<Long> released) {
    return Limiter.builder(limit)
        .time(time)
        .executor(Runnable::run)
        .listener(
            new LimiterListener() {
              @Override
              public void onRelease(Cost cost, long instant, long waited) {
                released.add(instant);
              }
            })
        .build();
  }

  @Test
  void makesALimiterForEachMaterialisationAndClosesIt() {
    Flow<Integer, Integer, NotUsed> flow =
        Throttle.byCost(owning(Limits.parse("bucket(1/100ms)")), n -> Cost.ONE);
    assertEquals(0, limitersMade());
    var sinks =
        List.of(run(numbers(2), flow, 1), run(numbers(2), flow, 2), run(numbers(2), flow, 2));
    sinks.forEach(sink -> sink.expectNext(1));
    assertEquals(3, limitersMade());
    sinks.get(0).cancel();
    sinks.get(1).cancel();
    after(100);
    sinks.get(2).expectNext(2).expectComplete();
  }

  @Test
  void aTextIsReadWhenTheFlowIsMade() {
    assertThrows(LimitFormatException.class, () -> Throttle.of("10 per minute"));
  }
}
