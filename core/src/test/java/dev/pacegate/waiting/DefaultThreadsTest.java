package dev.pacegate.waiting;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.Limiter;
import dev.pacegate.Permit;
import dev.pacegate.dispatch.Throttler;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/** The threads of limiters that are given no executor: shared, daemons, used again. */
class DefaultThreadsTest {

  @Test
  void oneThreadCompletesManyFuturesThatComeOneAtATime() {
    Set<Thread> seen = new HashSet<>();
    int futures = 0;
    while (seen.size() == futures) { // until one thread comes for the second time
      assertTrue(futures++ < 1_000, "each future had a thread of its own");
      seen.add(completer(Limiter.of("concurrent(1)")));
    }
  }

  @Test
  void oneThreadDeliversManyMessagesThatComeOneAtATime() throws InterruptedException {
    Set<Thread> seen = new HashSet<>();
    int messages = 0;
    while (seen.size() == messages) {
      assertTrue(messages++ < 1_000, "each message had a thread of its own");
      var deliverer = new CompletableFuture<Thread>();
      Throttler<String> throttler = Throttler.<String>builder(Limiter.of("unlimited")).build();
      throttler.target(message -> deliverer.complete(Thread.currentThread()));
      throttler.send("message");
      seen.add(deliverer.join());
    }
  }

  @Test
  void isADaemonAndInheritsNothingFromTheThreadThatEndsThePermitBefore() {
    var inherited = new InheritableThreadLocal<String>();
    inherited.set("of the thread that ends the permit");
    Thread thread = Thread.currentThread();
    ClassLoader loader = thread.getContextClassLoader();
    thread.setContextClassLoader(new ClassLoader(loader) {});
    Limiter limiter = Limiter.of("concurrent(1)");
    Permit held = Crew.spend(limiter);
    CompletableFuture<Permit> next = limiter.acquireAsync();
    CompletableFuture<Thread> completer = next.thenApply(permit -> Thread.currentThread());
    CompletableFuture<String> value = next.thenApply(permit -> inherited.get());
    try {
      held.answered();
      assertNotSame(thread, completer.join());
      assertTrue(completer.join().isDaemon());
      assertNotSame(thread.getContextClassLoader(), completer.join().getContextClassLoader());
      assertNull(value.join());
    } finally {
      thread.setContextClassLoader(loader);
      inherited.remove();
    }
  }

  /** Two futures whose callbacks wait for each other have a thread each. */
  @Test
  void aCallbackThatBlocksHoldsUpNoOtherLimiter() {
    var both = new CountDownLatch(2);
    CompletableFuture<Thread> first = completer(both);
    CompletableFuture<Thread> second = completer(both);
    assertNotSame(first.join(), second.join());
    assertFalse(first.isCompletedExceptionally());
  }

  private static Thread completer(Limiter limiter) {
    Permit held = Crew.spend(limiter);
    CompletableFuture<Permit> next = limiter.acquireAsync();
    CompletableFuture<Thread> completer = next.thenApply(permit -> Thread.currentThread());
    held.answered();
    next.join().answered();
    return completer.join();
  }

  private static CompletableFuture<Thread> completer(CountDownLatch both) {
    Limiter own = Limiter.of("concurrent(1)");
    Permit held = Crew.spend(own);
    CompletableFuture<Thread> completer =
        own.acquireAsync()
            .thenApply(
                permit -> {
                  both.countDown();
                  Crew.await("the other callback", () -> both.getCount() == 0);
                  permit.answered();
                  return Thread.currentThread();
                });
    held.answered();
    return completer;
  }
}
