package dev.pacegate.dispatch;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.Limiter;
import dev.pacegate.limit.Cost;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Callbacks that throw stop nothing, run under no lock, and pause and resume in turns. */
class ThrottlerCallbackTest extends ThrottlersOnManualTime {

  @Test
  void callbacksThatThrowStopNothing() throws Exception {
    Throttler<String> throttler =
        Throttler.<String>builder(limiter("unlimited"))
            .executor(Runnable::run)
            .capacity(2)
            .overflow(Overflow.DROP_OLDEST)
            .onDrop(ThrottlerCallbackTest::fail)
            .onFailure((message, failure) -> fail(message))
            .watermarks(0, 1, () -> fail("pause"), () -> fail("resume"))
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
            .watermarks(0, 1, ThrottlerCallbackTest::failUnprintably, () -> marked.add("resume"))
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
  void noCallbackRunsUnderALock() throws Exception {
    Throttler<String> throttler =
        Throttler.<String>builder(Limiter.builder("concurrent(1)").executor(Runnable::run).build())
            .executor(Runnable::run)
            .capacity(2)
            .overflow(Overflow.DROP_OLDEST)
            .cost(m -> Cost.of(m.equals("never") ? 2 : 1))
            .watermarks(0, 1, () -> elsewhere("pause"), () -> elsewhere("resume"))
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

  private final List<String> calls = Collections.synchronizedList(new ArrayList<>());

  private Throttler.Builder<String> marked(Throttler.Builder<String> builder) {
    return builder.watermarks(1, 3, () -> calls.add("pause"), () -> calls.add("resume"));
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

  @Test
  void aCallAtAMarkIsOverBeforeTheNextBegins() throws Exception {
    shared =
        direct(limiter("unlimited"))
            .watermarks(
                0,
                1,
                () -> {
                  calls.add("pausing");
                  CompletableFuture.runAsync(() -> shared.undelivered())
                      .orTimeout(10, TimeUnit.SECONDS)
                      .join();
                  calls.add("paused");
                },
                () -> calls.add("resumed"))
            .build();
    sendAll(shared, "1");
    assertEquals(List.of("pausing", "paused", "resumed"), calls);
  }

  /** A poller that does as it was last told must never be left paused before an empty queue. */
  @Test
  void theLastCallIsTheRightOne() throws Exception {
    for (int round = 0; round < 60; round++) {
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
}
