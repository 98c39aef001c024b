package dev.pacegate.dispatch;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.CostTooLargeException;
import dev.pacegate.Limiter;
import dev.pacegate.LimiterListener;
import dev.pacegate.Permit;
import dev.pacegate.limit.Cost;
import dev.pacegate.time.ManualTime;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Whatever goes wrong around a throttler, no message is lost, no permit leaks, nothing hangs. */
class ThrottlerFaultsTest {

  private static final Duration SECOND = Duration.ofSeconds(1);

  private final ManualTime time = ManualTime.manual();
  private final List<String> delivered = Collections.synchronizedList(new ArrayList<>());
  private final List<String> failed = Collections.synchronizedList(new ArrayList<>());
  private final List<String> marked = Collections.synchronizedList(new ArrayList<>());
  private final List<String> dropped = Collections.synchronizedList(new ArrayList<>());

  private Limiter limiter(String limit) {
    return Limiter.builder(limit).time(time).executor(Runnable::run).build();
  }

  /** Delivers on the thread that happens to be there. */
  private Throttler.Builder<String> direct(Limiter limiter) {
    return pooled(limiter).executor(Runnable::run);
  }

  private Throttler.Builder<String> pooled(Limiter limiter) {
    return Throttler.<String>builder(limiter)
        .onDrop(dropped::add)
        .onFailure((message, failure) -> failed.add(message + " " + failure.getClass()));
  }

  private static void sendAll(Throttler<String> throttler, String... messages)
      throws InterruptedException {
    for (String message : messages) {
      throttler.send(message);
    }
  }

  // ---- the bound

  /** Sends on a thread of its own, and returns once that waits for room. */
  private static CompletableFuture<Throwable> blocked(Throttler<String> full, String message) {
    var outcome = new CompletableFuture<Throwable>();
    Thread sender =
        Rig.start(
            () -> {
              try {
                full.send(message);
                outcome.complete(new AssertionError("sent"));
              } catch (Throwable failure) {
                outcome.complete(failure);
              }
            });
    Rig.await("a sender that waits", () -> sender.getState() == Thread.State.WAITING);
    return outcome;
  }

  private static boolean isSent(CompletableFuture<Throwable> sender) throws Exception {
    return "sent".equals(sender.get(10, SECONDS).getMessage());
  }

  @Test
  void aBlockedSenderGoesOnWhenAMessageIsDelivered() throws Exception {
    Throttler<String> throttler = direct(limiter("1/1s")).capacity(2).build();
    sendAll(throttler, "1", "2");
    CompletableFuture<Throwable> third = blocked(throttler, "3");
    assertEquals(2, throttler.queued());
    throttler.target(delivered::add);
    assertTrue(isSent(third));
    assertEquals(2, throttler.queued());
    time.advance(SECOND);
    time.advance(SECOND);
    assertEquals(List.of("1", "2", "3"), delivered);
  }

  @Test
  void aBlockedSenderGoesOnWhenTheQueueIsTakenOut() throws Exception {
    Throttler<String> throttler = direct(limiter("1/1s")).capacity(1).build();
    sendAll(throttler, "1");
    CompletableFuture<Throwable> second = blocked(throttler, "2");
    assertEquals(List.of("1"), throttler.undelivered());
    assertTrue(isSent(second));
    assertEquals(List.of("2"), throttler.undelivered());
  }

  @Test
  void aBlockedSenderGoesOnWhenAMessageCanNeverPass() throws Exception {
    Limiter limiter = limiter("1/1s");
    Throttler<String> throttler =
        direct(limiter).capacity(1).cost(m -> Cost.of(m.length())).build();
    sendAll(throttler, "never");
    CompletableFuture<Throwable> second = blocked(throttler, "2");
    throttler.target(delivered::add);
    assertTrue(isSent(second));
    Rig.await("the second", () -> delivered.equals(List.of("2")));
  }

  @Test
  void aBlockedSenderMayBeInterrupted() throws Exception {
    Throttler<String> throttler = direct(limiter("1/1s")).capacity(1).build();
    sendAll(throttler, "1");
    var outcome = new CompletableFuture<Throwable>();
    Thread sender =
        Rig.start(
            () -> {
              try {
                throttler.send("2");
              } catch (InterruptedException interrupted) {
                outcome.complete(interrupted);
              }
            });
    Rig.await("a sender that waits", () -> sender.getState() == Thread.State.WAITING);
    sender.interrupt();
    assertInstanceOf(InterruptedException.class, outcome.get(10, SECONDS));
    assertEquals(List.of("1"), throttler.undelivered());
  }

  @Test
  void aBlockedSenderIsTurnedAwayByTheEnd() throws Exception {
    Throttler<String> throttler = direct(limiter("1/1s")).capacity(1).build();
    sendAll(throttler, "1");
    CompletableFuture<Throwable> second = blocked(throttler, "2");
    throttler.close();
    assertInstanceOf(IllegalStateException.class, second.get(10, SECONDS));
    assertEquals(List.of("1"), throttler.undelivered());
  }

  @Test
  void eachPolicyBeginsExactlyAtTheBound() throws Exception {
    for (Overflow overflow : Overflow.values()) {
      Throttler<String> throttler =
          direct(limiter("unlimited")).capacity(3).overflow(overflow).build();
      sendAll(throttler, "1", "2", "3");
      assertEquals(List.of(), dropped, overflow.name());
      assertFalse(throttler.offer("4"));
      assertEquals(List.of("1", "2", "3"), throttler.undelivered(), overflow.name());
    }
  }

  @Test
  void aTargetThatSendsToItsOwnFullQueueIsRejected() throws Exception {
    Throttler<String> throttler = pooled(limiter("unlimited")).capacity(2).build();
    sendAll(throttler, "1", "2");
    throttler.target(
        message -> {
          delivered.add(message);
          if (message.equals("1")) {
            try {
              throttler.send("3");
              throttler.send("4");
            } catch (InterruptedException e) {
              throw new AssertionError(e);
            }
          }
        });
    assertTrue(throttler.drain(Rig.PATIENCE));
    assertEquals(List.of("1", "2", "3"), delivered);
    assertEquals(List.of("1 " + QueueFullException.class), failed);
  }

  // ---- costs

  @Test
  void aCostThatCannotBeToldIsTheSendersFailure() throws Exception {
    Throttler<String> throttler =
        direct(limiter("unlimited")).cost(message -> Cost.of(Integer.parseInt(message))).build();
    throttler.target(delivered::add);
    assertThrows(NumberFormatException.class, () -> throttler.send("many"));
    assertThrows(NumberFormatException.class, () -> throttler.offer("many"));
    sendAll(throttler, "1");
    assertEquals(List.of("1"), delivered);
    assertEquals(0, throttler.queued());
  }

  @Test
  @SuppressWarnings("NullAway") // null is what is tested
  void noCostIsTheSendersFailure() throws Exception {
    Throttler<String> throttler = direct(limiter("unlimited")).cost(message -> null).build();
    assertThrows(NullPointerException.class, () -> throttler.send("1"));
    assertEquals(0, throttler.queued());
  }

  /** A sum of costs is no cost of one message. */
  @Test
  void aSumOfCostsIsTheSendersFailure() throws Exception {
    Throttler<String> throttler =
        direct(limiter("unlimited"))
            .cost(message -> message.equals("two") ? Cost.ONE.plus(Cost.ONE) : Cost.ONE)
            .build();
    throttler.target(delivered::add);
    assertThrows(IllegalArgumentException.class, () -> throttler.send("two"));
    assertThrows(IllegalArgumentException.class, () -> throttler.offer("two"));
    sendAll(throttler, "1");
    assertEquals(List.of("1"), delivered);
    assertEquals(0, throttler.queued());
  }

  @Test
  void whatCanNeverPassInTheMiddleHoldsUpNothing() throws Exception {
    Limiter limiter = limiter("3/1s");
    Throttler<String> throttler = direct(limiter).cost(m -> Cost.of(m.length())).build();
    sendAll(throttler, "a", "never", "b", "never", "never", "c");
    throttler.target(delivered::add);
    assertEquals(List.of("a", "b", "c"), delivered);
    String never = "never " + CostTooLargeException.class;
    assertEquals(List.of(never, never, never), failed);
    assertTrue(throttler.drain(Duration.ZERO));
    Rig.assertIdle(limiter);
  }

  @Test
  void aDroppedFirstMessageOfAnotherCostGivesUpItsPlace() throws Exception {
    Limiter limiter = limiter("10/1s");
    Throttler<String> throttler =
        direct(limiter)
            .cost(m -> Cost.of(m.length()))
            .capacity(1)
            .overflow(Overflow.DROP_OLDEST)
            .build();
    throttler.target(delivered::add);
    sendAll(throttler, "0123456789", "ten chars.", "one");
    time.advance(SECOND);
    assertEquals(List.of("0123456789", "one"), delivered);
    assertEquals(2, limiter.snapshot().granted(), "no permit is taken in vain");
    assertEquals(7, free(limiter));
  }

  private static int free(Limiter limiter) {
    int free = 0;
    while (limiter.tryAcquire().isPresent()) {
      free++;
    }
    return free;
  }

  @Test
  void manyThatCanNeverPassNeedNoStack() throws Exception {
    Throttler<String> throttler =
        direct(limiter("1/1s"))
            .cost(m -> Cost.of(2))
            .capacity(200_000)
            .onFailure((message, failure) -> {})
            .build();
    for (int i = 0; i < 200_000; i++) {
      throttler.send("never");
    }
    throttler.target(delivered::add);
    assertTrue(throttler.drain(Duration.ZERO));
  }

  @Test
  void manyOnTheSendersOwnThreadNeedNoStack() throws Exception {
    for (String limit : List.of("unlimited", "concurrent(1)", "bucket(1000000000/1s)")) {
      var count = new AtomicInteger();
      Throttler<String> throttler = direct(Limiter.of(limit)).capacity(200_000).build();
      for (int i = 0; i < 200_000; i++) {
        throttler.send("message");
      }
      throttler.target(message -> count.incrementAndGet());
      assertTrue(throttler.drain(Rig.PATIENCE));
      assertEquals(200_000, count.get(), limit);
    }
  }

  // ---- the limiter

  @Test
  void aClosedLimiterClosesTheThrottlerAndLosesNothing() throws Exception {
    Limiter limiter = limiter("1/1s");
    Throttler<String> throttler = direct(limiter).build();
    throttler.target(delivered::add);
    sendAll(throttler, "1", "2", "3");
    limiter.close();
    assertFalse(throttler.drain(Rig.PATIENCE), "at once");
    assertThrows(IllegalStateException.class, () -> throttler.send("4"));
    assertEquals(List.of("1"), delivered);
    assertEquals(List.of("2", "3"), throttler.undelivered());
  }

  @Test
  void aLimiterClosedByTheTargetLosesNothing() throws Exception {
    Limiter limiter = limiter("unlimited");
    Throttler<String> throttler = direct(limiter).build();
    sendAll(throttler, "1", "2", "3");
    throttler.target(
        message -> {
          delivered.add(message);
          limiter.close();
        });
    assertFalse(throttler.drain(Rig.PATIENCE));
    assertEquals(List.of("1"), delivered);
    assertEquals(List.of("2", "3"), throttler.undelivered());
  }

  @Test
  void aLineThatIsFullIsTriedAgain() throws Exception {
    Limiter limiter = Limiter.builder("1/1s").time(time).maxWaiting(1).build();
    limiter.tryAcquire().orElseThrow().answered();
    CompletableFuture<Permit> other = limiter.acquireAsync();
    Throttler<String> throttler = pooled(limiter).build();
    throttler.target(delivered::add);
    sendAll(throttler, "1", "2");
    assertTrue(other.cancel(false));
    Rig.await("a place in line", () -> limiter.snapshot().waiting() == 1);
    time.advance(SECOND);
    Rig.await("the first", () -> delivered.size() == 1);
    Rig.await("a place in line", () -> limiter.snapshot().waiting() == 1);
    time.advance(SECOND);
    assertTrue(throttler.drain(Rig.PATIENCE));
    assertEquals(List.of("1", "2"), delivered);
    assertEquals(List.of(), failed);
  }

  @Test
  void aLimiterThatLetsNobodyWaitIsAskedAgain() throws Exception {
    Limiter limiter = Limiter.builder("2/1s").time(time).maxWaiting(0).build();
    Throttler<String> throttler = pooled(limiter).build();
    throttler.target(delivered::add);
    sendAll(throttler, "1", "2", "3");
    Rig.await("the first two", () -> delivered.size() == 2);
    time.advance(SECOND);
    assertTrue(throttler.drain(Rig.PATIENCE));
    assertEquals(List.of("1", "2", "3"), delivered);
    assertEquals(List.of(), failed);
  }

  /** The executor is called for nothing but to take the permit. */
  @Test
  void aLimiterThatLetsNobodyWaitIsAskedWhateverTheExecutorDoes() throws Exception {
    Limiter limiter = Limiter.builder("2/1s").time(time).maxWaiting(0).build();
    Throttler<String> throttler =
        Throttler.<String>builder(limiter)
            .executor(
                work -> {
                  throw new RejectedExecutionException("thrown by a test");
                })
            .build();
    throttler.target(delivered::add);
    sendAll(throttler, "1", "2");
    assertTrue(throttler.drain(Rig.PATIENCE));
    assertEquals(List.of("1", "2"), delivered);
  }

  @Test
  void anErrorWhileAskingForAPermitStopsNothing() throws Exception {
    var clock = new Rig.BrokenTime();
    Throttler<String> throttler =
        direct(Limiter.builder("unlimited").time(clock).executor(Runnable::run).build()).build();
    throttler.target(delivered::add);
    clock.broken = true;
    assertThrows(IllegalStateException.class, () -> throttler.send("1"));
    clock.broken = false;
    sendAll(throttler, "2");
    assertEquals(List.of("1", "2"), delivered);
  }

  @Test
  void aThrottlerClosedBeforeItTriesAgainStaysSo() throws Exception {
    Limiter limiter = Limiter.builder("1/1s").time(time).maxWaiting(0).build();
    limiter.tryAcquire().orElseThrow().answered();
    Throttler<String> throttler = pooled(limiter).build();
    throttler.target(delivered::add);
    sendAll(throttler, "1");
    throttler.close();
    assertEquals(List.of("1"), throttler.undelivered());
  }

  @Test
  void anotherLimitTakesEffectAtOnce() throws Exception {
    Limiter limiter = limiter("1/1h");
    Throttler<String> throttler = direct(limiter).build();
    throttler.target(message -> delivered.add(message + "@" + time.nanoTime() / 1_000_000));
    sendAll(throttler, "1", "2", "3", "4");
    time.advance(SECOND);
    limiter.setLimit("spacing(500ms)");
    time.advance(SECOND);
    assertEquals(List.of("1@0", "2@1000", "3@1500", "4@2000"), delivered);
  }

  @Test
  void throttlersOnOneLimiterShareIt() throws Exception {
    Limiter limiter = limiter("spacing(100ms)");
    Throttler<String> one = direct(limiter).build();
    Throttler<String> other = direct(limiter).build();
    one.target(message -> delivered.add(message + "@" + time.nanoTime() / 1_000_000));
    other.target(message -> delivered.add(message + "@" + time.nanoTime() / 1_000_000));
    sendAll(one, "a1", "a2", "a3");
    sendAll(other, "b1", "b2", "b3");
    time.advance(SECOND);
    assertEquals(List.of("a1@0", "a2@100", "b1@200", "a3@300", "b2@400", "b3@500"), delivered);
    Rig.assertIdle(limiter);
  }

  // ---- the target

  @Test
  void aTargetThatFailsInAnyWayEndsItsPermitAndStopsNothing() throws Exception {
    Limiter limiter = limiter("concurrent(1)");
    Throttler<String> throttler = direct(limiter).build();
    sendAll(throttler, "1", "2", "3");
    throttler.target(
        message -> {
          switch (message) {
            case "1" -> throw new AssertionError("thrown by a test");
            case "2" -> throw new StackOverflowError("thrown by a test");
            default -> delivered.add(message);
          }
        });
    assertEquals(List.of("3"), delivered);
    assertEquals(2, failed.size());
    Rig.assertIdle(limiter);
  }

  @Test
  void aTargetThatFailsToConnectHasUsedNothing() throws Exception {
    Limiter limiter = limiter("peer(2/1h)");
    Throttler<String> throttler = direct(limiter).build();
    throttler.targetAsync(
        message ->
            message.equals("1")
                ? CompletableFuture.failedFuture(new java.net.ConnectException("refused"))
                : CompletableFuture.failedFuture(new IOException("broken")));
    sendAll(throttler, "1", "2");
    assertEquals(1, free(limiter));
  }

  @Test
  void callbacksThatThrowStopNothing() throws Exception {
    Throttler<String> throttler =
        Throttler.<String>builder(limiter("unlimited"))
            .executor(Runnable::run)
            .capacity(2)
            .overflow(Overflow.DROP_OLDEST)
            .onDrop(ThrottlerFaultsTest::fail)
            .onFailure((message, failure) -> fail(message))
            .marks(0, 1, () -> fail("pause"), () -> fail("resume"))
            .build();
    sendAll(throttler, "1", "2", "3");
    throttler.target(
        message -> {
          delivered.add(message);
          fail(message);
        });
    sendAll(throttler, "4");
    assertEquals(List.of("2", "3", "4"), delivered);
    assertTrue(throttler.drain(Duration.ZERO));
  }

  /** As one is whose cause leads back to itself. */
  private static final class Unprintable extends RuntimeException {
    private static final long serialVersionUID = 1;

    @Override
    public void printStackTrace(PrintWriter writer) {
      throw new StackOverflowError("thrown by a test");
    }
  }

  private static void failUnprintably() {
    throw new Unprintable();
  }

  @Test
  void failuresThatCannotEvenBeLoggedStopNothing() throws Exception {
    Throttler<String> throttler =
        Throttler.<String>builder(limiter("unlimited"))
            .executor(Runnable::run)
            .capacity(2)
            .overflow(Overflow.DROP_OLDEST)
            .onDrop(message -> failUnprintably())
            .marks(0, 1, ThrottlerFaultsTest::failUnprintably, () -> marked.add("resume"))
            .build();
    sendAll(throttler, "1", "2", "3");
    throttler.target(
        message -> {
          delivered.add(message);
          failUnprintably();
        });
    sendAll(throttler, "4");
    assertEquals(List.of("2", "3", "4"), delivered);
    assertEquals("resume", marked.get(0), "the marks go on");
    assertTrue(throttler.drain(Duration.ZERO));
  }

  private static void fail(String message) {
    throw new IllegalStateException("thrown by a test: " + message);
  }

  @Test
  void whileTheTargetBlocksMessagesQueueAndTheEndLosesNone() throws Exception {
    Limiter limiter = limiter("unlimited");
    Throttler<String> throttler = pooled(limiter).build();
    var inTarget = new CountDownLatch(1);
    var go = new CountDownLatch(1);
    throttler.target(
        message -> {
          inTarget.countDown();
          Rig.await("the test", () -> go.getCount() == 0);
          delivered.add(message);
        });
    sendAll(throttler, "1", "2", "3");
    inTarget.await();
    assertEquals(2, throttler.queued());
    assertFalse(throttler.drain(Duration.ofMillis(1)));
    throttler.close();
    assertEquals(List.of("2", "3"), throttler.undelivered());
    go.countDown();
    assertTrue(throttler.drain(Rig.PATIENCE), "waits for what is being delivered");
    assertEquals(List.of("1"), delivered);
    Rig.assertIdle(limiter);
  }

  @Test
  void aTargetThatTakesItselfAwayGetsNoMore() throws Exception {
    Limiter limiter = limiter("unlimited");
    Throttler<String> throttler = direct(limiter).build();
    sendAll(throttler, "1", "2", "3");
    throttler.target(
        message -> {
          delivered.add("first " + message);
          throttler.target(null);
        });
    assertEquals(List.of("first 1"), delivered);
    assertEquals(2, throttler.queued());
    throttler.target(message -> delivered.add("second " + message));
    assertEquals(List.of("first 1", "second 2", "second 3"), delivered);
    Rig.assertIdle(limiter);
  }

  /** The permit of a turn that was given up too late must not make a second deliverer. */
  @Test
  void aTurnThatWasGivenUpDeliversNothing() throws Exception {
    var threads = new ThreadPoolExecutor(2, 2, 1, SECONDS, new LinkedBlockingQueue<>());
    try {
      var inTarget = new CountDownLatch(1);
      var go = new CountDownLatch(1);
      var exchange = new AtomicInteger();
      Limiter limiter =
          Limiter.builder("concurrent(2)")
              .listener(
                  new LimiterListener() {
                    @Override
                    public void onRelease(Cost cost, long instant, long waited) {
                      if (exchange.getAndIncrement()
                          == 0) { // its permit is taken, and not used yet
                        shared.target(null);
                        shared.target(
                            message -> {
                              inTarget.countDown();
                              Rig.await("the test", () -> go.getCount() == 0);
                              delivered.add(message);
                            });
                        Rig.await("the other turn", () -> inTarget.getCount() == 0);
                      }
                    }
                  })
              .build();
      shared = pooled(limiter).executor(threads).build();
      sendAll(shared, "1", "2");
      shared.target(message -> delivered.add("too late: " + message));
      inTarget.await();
      Rig.await("the end of the first turn", () -> threads.getCompletedTaskCount() == 1);
      assertEquals(List.of(), delivered);
      assertEquals(1, shared.queued());
      assertEquals(1, limiter.snapshot().open());
      go.countDown();
      assertTrue(shared.drain(Rig.PATIENCE));
      assertEquals(List.of("1", "2"), delivered);
      Rig.assertIdle(limiter);
    } finally {
      threads.shutdownNow();
    }
  }

  @Test
  void noCallbackRunsUnderALock() throws Exception {
    Throttler<String> throttler =
        Throttler.<String>builder(Limiter.builder("concurrent(1)").executor(Runnable::run).build())
            .executor(Runnable::run)
            .capacity(2)
            .overflow(Overflow.DROP_OLDEST)
            .cost(m -> Cost.of(m.equals("never") ? 2 : 1))
            .marks(0, 1, () -> elsewhere("pause"), () -> elsewhere("resume"))
            .onDrop(message -> elsewhere("drop"))
            .onFailure((message, failure) -> elsewhere("failure"))
            .build();
    shared = throttler;
    sendAll(throttler, "1", "2", "3");
    throttler.target(message -> elsewhere("target"));
    sendAll(throttler, "4");
    assertEquals(
        List.of("pause", "drop", "target", "target", "resume", "pause", "target", "resume"),
        delivered);
  }

  private Throttler<String> shared = direct(limiter("unlimited")).build();

  /** Another thread uses the throttler meanwhile. */
  private void elsewhere(String what) {
    CompletableFuture<Integer> queued = CompletableFuture.supplyAsync(() -> shared.queued());
    try {
      queued.get(10, SECONDS);
    } catch (Exception stuck) {
      what = what + " under a lock";
    }
    delivered.add(what);
  }

  @Test
  void anInterruptLeftByTheTargetIsTheExecutorsAffair() throws Exception {
    var tasks = new LinkedBlockingQueue<Runnable>();
    Executor clearing = tasks::add;
    Rig.start(
        () -> {
          while (true) {
            tasks.take().run();
            Thread.interrupted(); // as the JDK's pools do
          }
        });
    Throttler<String> throttler = pooled(limiter("unlimited")).executor(clearing).build();
    sendAll(throttler, "1", "2", "3");
    throttler.target(
        message -> {
          delivered.add(message + Thread.currentThread().isInterrupted());
          Thread.currentThread().interrupt();
        });
    assertTrue(throttler.drain(Rig.PATIENCE));
    assertEquals(List.of("1false", "2false", "3false"), delivered);
  }

  @Test
  void anExecutorThatRejectsLosesNothing() throws Exception {
    Executor rejects =
        task -> {
          throw new RejectedExecutionException("shut down");
        };
    Throttler<String> throttler = pooled(Limiter.of("unlimited")).executor(rejects).build();
    throttler.target(delivered::add);
    sendAll(throttler, "1", "2");
    assertTrue(throttler.drain(Rig.PATIENCE));
    assertEquals(List.of("1", "2"), delivered);
  }

  @Test
  void takingOutWhatWaitsGivesUpThePlaceInLine() throws Exception {
    Limiter limiter = limiter("1/1s");
    Throttler<String> throttler = direct(limiter).build();
    throttler.target(delivered::add);
    sendAll(throttler, "1", "2");
    assertEquals(1, limiter.snapshot().waiting());
    assertEquals(List.of("2"), throttler.undelivered());
    assertEquals(0, limiter.snapshot().waiting());
    time.advance(SECOND);
    assertEquals(1, limiter.snapshot().granted());
  }

  /** Given up by another while it was about to be taken. */
  @Test
  void aPlaceThatWasGivenUpWhileItWasTakenIsLeft() throws Exception {
    Limiter limiter = limiter("1/1s");
    var work = new ArrayList<Runnable>();
    Executor late =
        task -> {
          shared.target(null); // the line has been joined, and who joins it does not know yet
          work.add(task);
        };
    shared = pooled(limiter).executor(late).build();
    sendAll(shared, "1");
    shared.target(delivered::add);
    assertEquals(1, work.size());
    assertEquals(0, limiter.snapshot().waiting());
    work.forEach(Runnable::run);
    assertEquals(List.of("1"), shared.undelivered());
    assertEquals(0, limiter.snapshot().granted());
  }

  // ---- targets that answer later

  @Test
  void aPermitEndsWithTheAnswer() throws Exception {
    Limiter limiter = limiter("concurrent(2)");
    Throttler<String> throttler = direct(limiter).build();
    var answers = new ArrayList<CompletableFuture<String>>();
    throttler.targetAsync(
        message -> {
          delivered.add(message);
          answers.add(new CompletableFuture<>());
          return answers.get(answers.size() - 1);
        });
    sendAll(throttler, "1", "2", "3", "4");
    assertEquals(List.of("1", "2"), delivered);
    assertEquals(2, limiter.snapshot().open());
    assertEquals(0, limiter.snapshot().refused());
    answers.get(1).complete("answer");
    assertEquals(List.of("1", "2", "3"), delivered);
    answers.get(0).completeExceptionally(new IOException("no answer"));
    assertEquals(List.of("1", "2", "3", "4"), delivered);
    assertEquals(List.of("1 " + IOException.class), failed);
    assertFalse(throttler.drain(Duration.ZERO), "two are not answered");
    answers.get(2).complete("answer");
    answers.get(3).complete("answer");
    assertTrue(throttler.drain(Duration.ZERO));
    Rig.assertIdle(limiter);
  }

  @Test
  @SuppressWarnings("NullAway") // null is what is tested
  void noAnswerToComeIsAFailure() throws Exception {
    Limiter limiter = limiter("concurrent(1)");
    Throttler<String> throttler = direct(limiter).build();
    throttler.targetAsync(message -> null);
    sendAll(throttler, "1", "2");
    assertEquals(2, failed.size());
    Rig.assertIdle(limiter);
  }

  // ---- marks

  private final List<String> calls = Collections.synchronizedList(new ArrayList<>());

  private Throttler.Builder<String> marked(Throttler.Builder<String> builder) {
    return builder.marks(1, 3, () -> calls.add("pause"), () -> calls.add("resume"));
  }

  @Test
  void takingOutWhatWaitsResumes() throws Exception {
    Throttler<String> throttler = marked(direct(limiter("unlimited"))).build();
    sendAll(throttler, "1", "2", "3");
    throttler.close();
    assertEquals(List.of("pause"), calls);
    throttler.undelivered();
    assertEquals(List.of("pause", "resume"), calls);
  }

  @Test
  void droppingAllButTheLatestResumes() throws Exception {
    Throttler<String> throttler =
        marked(direct(limiter("unlimited"))).capacity(3).overflow(Overflow.KEEP_LATEST).build();
    sendAll(throttler, "1", "2", "3", "4");
    assertEquals(List.of("pause", "resume"), calls);
  }

  @Test
  void failingWhatCanNeverPassResumes() throws Exception {
    Throttler<String> throttler =
        marked(direct(limiter("1/1s"))).cost(m -> Cost.of(m.length())).build();
    sendAll(throttler, "never", "never", "never");
    throttler.target(delivered::add);
    assertEquals(List.of("pause", "resume"), calls);
  }

  /** Whoever polls by what it was last told must never be left paused before an empty queue. */
  @Test
  void theLastCallIsTheRightOne() throws Exception {
    for (int round = 0; round < 300; round++) {
      calls.clear();
      Throttler<String> throttler = marked(pooled(Limiter.of("unlimited"))).capacity(4).build();
      throttler.target(message -> {});
      var senders = new ArrayList<Thread>();
      for (int i = 0; i < 3; i++) {
        senders.add(
            Rig.start(() -> IntStream.range(0, 50).forEach(n -> send(throttler, "message"))));
      }
      for (Thread sender : senders) {
        sender.join();
      }
      assertTrue(throttler.drain(Rig.PATIENCE));
      Rig.await(
          "a resume in round " + round + ": " + calls,
          () -> calls.isEmpty() || calls.get(calls.size() - 1).equals("resume"));
      for (int i = 0; i < calls.size(); i++) {
        assertEquals(i % 2 == 0 ? "pause" : "resume", calls.get(i), "in turns");
      }
    }
  }

  private static void send(Throttler<String> throttler, String message) {
    try {
      throttler.send(message);
    } catch (InterruptedException interrupted) {
      throw new AssertionError(interrupted);
    }
  }

  /** Whoever stops wants to know when the target is at rest. */
  @Test
  void drainOfAClosedThrottlerWaitsForWhatIsBeingDelivered() throws Exception {
    Throttler<String> throttler = pooled(limiter("unlimited")).build();
    var begun = new CountDownLatch(1);
    var goOn = new CountDownLatch(1);
    throttler.target(
        message -> {
          begun.countDown();
          Rig.await("the sign to go on", () -> goOn.getCount() == 0);
          delivered.add(message);
        });
    sendAll(throttler, "1", "2");
    begun.await();
    throttler.close();
    Thread stopper = Rig.start(() -> marked.add(throttler.drain(Rig.PATIENCE) + " " + delivered));
    Rig.await("one that waits", () -> stopper.getState() == Thread.State.TIMED_WAITING);
    goOn.countDown();
    stopper.join(Rig.PATIENCE.toMillis());
    assertEquals(List.of("false [1]"), marked);
  }

  @Test
  void drainAnswersAtOnceForAnyTimeout() throws Exception {
    Throttler<String> throttler = direct(limiter("1/1s")).build();
    sendAll(throttler, "1");
    assertFalse(throttler.drain(Duration.ofSeconds(-1)));
    throttler.close();
    assertFalse(throttler.drain(Duration.ofSeconds(Long.MAX_VALUE)));
    throttler.undelivered();
    assertTrue(throttler.drain(Duration.ofSeconds(Long.MAX_VALUE)));
  }
}
