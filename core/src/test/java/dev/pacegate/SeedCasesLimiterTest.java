package dev.pacegate;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofNanos;
import static java.time.Duration.ofSeconds;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.limit.Cost;
import dev.pacegate.time.ManualTime;
import dev.pacegate.time.Time;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The documented cases of the throttles that Pacegate succeeds (SE: the JDK's semaphore; X: where
 * they fail), on limiters in virtual time.
 */
@Timeout(60)
class SeedCasesLimiterTest {

  private final ManualTime time = ManualTime.manual(-1);

  private Limiter limiter(String limit) {
    return Limiter.builder(limit).time(time).executor(Runnable::run).stamped(true).build();
  }

  private static int taken(Limiter limiter) {
    int taken = 0;
    while (limiter.tryAcquire().isPresent()) {
      taken++;
    }
    return taken;
  }

  private static List<CompletableFuture<Permit>> line(Limiter limiter, int size) {
    var line = new ArrayList<CompletableFuture<Permit>>();
    for (int i = 0; i < size; i++) {
      line.add(limiter.acquireAsync());
    }
    return line;
  }

  private static long done(List<CompletableFuture<Permit>> line) {
    return line.stream().filter(CompletableFuture::isDone).count();
  }

  /** Returns when each of the queue went, after the limiter's origin. */
  private static List<Duration> releases(List<CompletableFuture<Permit>> line) {
    return line.stream().map(f -> ofNanos(f.join().releasedAt() + 1)).toList();
  }

  private static void awaitWaiting(Limiter limiter, int waiting) throws InterruptedException {
    while (limiter.snapshot().waiting() != waiting) {
      Thread.sleep(1); // other threads have yet to reach the queue
    }
  }

  // ---- SE: the semaphore

  @Test // SE-2
  void asManyAsThereAreAndNoMore() throws InterruptedException {
    ManualTime self = ManualTime.selfAdvancing();
    Limiter limiter = Limiter.builder("concurrent(2)").time(self).build();
    assertTrue(limiter.tryAcquire().isPresent());
    assertTrue(limiter.tryAcquire().isPresent());
    assertFalse(limiter.tryAcquire().isPresent());
    assertEquals(2, limiter.snapshot().open(), "a refusal takes nothing");
    assertFalse(limiter.tryAcquire(1, ofMillis(50)).isPresent());
    assertEquals(ofMillis(50), ofNanos(self.nanoTime()), "waited as long as it was told to");
    assertEquals(2, limiter.snapshot().open());
  }

  /** SE-2: a cost is not a number of permits here; a caller that needs three takes three. */
  @Test
  void aCallIsOneOfThoseOpenWhateverItCosts() {
    Limiter limiter = limiter("concurrent(2) & 100/1s");
    assertTrue(limiter.tryAcquire(3).isPresent());
    assertEquals(1, limiter.snapshot().open());
    assertThrows(IllegalArgumentException.class, () -> limiter("concurrent(2)").tryAcquire(3));
  }

  /** A way of waiting that can be interrupted. */
  private interface Waiting {
    void on(Limiter limiter) throws InterruptedException;
  }

  private static final List<Waiting> WAITS =
      List.of(
          limiter -> limiter.acquire().answered(),
          limiter -> limiter.acquire(1).answered(),
          limiter -> limiter.tryAcquire(1, ofMinutes(5)),
          limiter -> limiter.run(() -> {}));

  @Test // SE-3
  void anInterruptBeforeIsAnswered() {
    for (Waiting waiting : WAITS) {
      Limiter limiter = limiter("concurrent(1)");
      Thread.currentThread().interrupt();
      assertThrows(InterruptedException.class, () -> waiting.on(limiter));
      assertFalse(Thread.currentThread().isInterrupted());
      assertEquals(1, taken(limiter), "nothing was taken");
    }
  }

  @Test // SE-3
  void anInterruptInBetweenIsAnswered() throws InterruptedException {
    for (Waiting waiting : WAITS) {
      Limiter limiter = limiter("concurrent(1)");
      Permit held = limiter.acquire();
      var answered = new AtomicBoolean();
      var waiter =
          new Thread(
              () -> {
                try {
                  waiting.on(limiter);
                } catch (InterruptedException expected) {
                  answered.set(!Thread.currentThread().isInterrupted());
                }
              });
      waiter.start();
      awaitWaiting(limiter, 1);
      waiter.interrupt();
      waiter.join();
      assertTrue(answered.get());
      assertEquals(0, limiter.snapshot().waiting());
      held.answered();
      assertEquals(1, taken(limiter), "nothing was taken");
    }
  }

  @Test // SE-4
  void theLineIsAsLongAsThereAreWaiters() throws InterruptedException {
    Limiter limiter = limiter("concurrent(1)");
    Permit held = limiter.acquire();
    assertEquals(0, limiter.snapshot().waiting());
    var waiters = new ArrayList<Thread>();
    for (int i = 1; i <= 2; i++) {
      var waiter = new Thread(() -> acquireAndClose(limiter));
      waiter.start();
      waiters.add(waiter);
      awaitWaiting(limiter, i);
    }
    waiters.get(0).interrupt();
    awaitWaiting(limiter, 1);
    held.answered();
    for (Thread waiter : waiters) {
      waiter.join();
    }
    assertEquals(0, limiter.snapshot().waiting());
    assertEquals(0, limiter.snapshot().open());
  }

  private static void acquireAndClose(Limiter limiter) {
    try {
      limiter.acquire().answered();
    } catch (InterruptedException expected) {
      Thread.currentThread().interrupt();
    }
  }

  @Test // SE-6
  void aReleasedPermitIsThereAgain() throws InterruptedException {
    Limiter limiter = limiter("concurrent(5)");
    for (int i = 1; i <= 5; i++) {
      var permits = new ArrayList<Permit>();
      for (int j = 0; j < i; j++) {
        permits.add(limiter.acquire());
      }
      assertEquals(i, limiter.snapshot().open());
      permits.forEach(Permit::answered);
      permits.forEach(Permit::answered);
      assertEquals(0, limiter.snapshot().open(), "closing twice gives back once");
    }
    assertEquals(5, taken(limiter));
  }

  // ---- the limit changes while five wait

  @Test
  void aRaisedLimitLetsWaitersGoAtOnceAndNoMore() {
    Limiter limiter = limiter("10/1m");
    assertEquals(10, taken(limiter));
    List<CompletableFuture<Permit>> line = line(limiter, 5);
    time.advance(ofSeconds(1));
    assertEquals(0, done(line));
    limiter.setLimit("13/1m");
    assertEquals(3, done(line));
    time.advance(ofSeconds(58));
    assertEquals(3, done(line));
    time.advance(ofSeconds(1));
    assertEquals(5, done(line));
    assertEquals(8, taken(limiter), "of thirteen in a minute, three went at 1 s and two just now");
  }

  @Test
  void aFasterBucketTimesWaitersAnew() {
    Limiter limiter = limiter("bucket(1/10s)");
    assertEquals(1, taken(limiter));
    List<CompletableFuture<Permit>> line = line(limiter, 5);
    time.advance(ofSeconds(5));
    limiter.setLimit("bucket(1/1s)");
    assertEquals(0, done(line), "no burst");
    time.advance(ofSeconds(10));
    assertEquals(
        List.of(ofMillis(5500), ofMillis(6500), ofMillis(7500), ofMillis(8500), ofMillis(9500)),
        releases(line));
  }

  @Test
  void aSlowerBucketTimesWaitersAnew() {
    Limiter limiter = limiter("bucket(1/1s)");
    assertEquals(1, taken(limiter));
    List<CompletableFuture<Permit>> line = line(limiter, 5);
    time.advance(ofMillis(1500));
    assertEquals(1, done(line));
    limiter.setLimit("bucket(1/10s)");
    time.advance(ofMinutes(1));
    assertEquals(
        List.of(
            ofMillis(1000), ofMillis(6500), ofMillis(16_500), ofMillis(26_500), ofMillis(36_500)),
        releases(line));
  }

  @Test
  void aLoweredWindowKeepsWaitersUntilBothAreKept() {
    Limiter limiter = limiter("10/1m");
    assertEquals(10, taken(limiter));
    List<CompletableFuture<Permit>> line = line(limiter, 5);
    time.advance(ofSeconds(1));
    limiter.setLimit("2/1m");
    time.advance(ofSeconds(58));
    assertEquals(0, done(line));
    time.advance(ofMinutes(3));
    assertEquals(
        List.of(ofSeconds(60), ofSeconds(60), ofSeconds(120), ofSeconds(120), ofSeconds(180)),
        releases(line));
  }

  @Test
  void fewerAtOnceWaitForTheOnesTooMany() {
    Limiter limiter = limiter("concurrent(4)");
    var open = new ArrayList<Permit>();
    for (int i = 0; i < 4; i++) {
      open.add(limiter.tryAcquire().orElseThrow());
    }
    List<CompletableFuture<Permit>> line = line(limiter, 5);
    limiter.setLimit("concurrent(2)");
    open.get(0).answered();
    open.get(1).answered();
    assertEquals(0, done(line), "two are still open");
    open.get(2).answered();
    assertEquals(1, done(line));
    limiter.setLimit("concurrent(5)");
    assertEquals(4, done(line));
  }

  // ---- a waiter that leaves has cost nothing

  @Test
  void aWaiterThatIsCancelledHasCostNothing() {
    Limiter limiter = limiter("bucket(2/1s)");
    assertEquals(1, taken(limiter));
    List<CompletableFuture<Permit>> line = line(limiter, 10);
    CompletableFuture<Permit> next = limiter.acquireAsync();
    time.advance(ofMillis(100));
    line.forEach(f -> assertTrue(f.cancel(true)));
    time.advance(ofMillis(399));
    assertFalse(next.isDone(), "not early either");
    time.advance(ofMillis(1));
    assertTrue(next.isDone());
  }

  @Test
  void aWaiterThatIsInterruptedHasCostNothing() throws InterruptedException {
    Limiter limiter = limiter("bucket(2/1s)");
    assertEquals(1, taken(limiter));
    var threads = new ArrayList<Thread>();
    for (int i = 1; i <= 10; i++) {
      var thread = new Thread(() -> acquireAndClose(limiter));
      thread.start();
      threads.add(thread);
      awaitWaiting(limiter, i);
    }
    CompletableFuture<Permit> next = limiter.acquireAsync();
    for (Thread thread : threads) {
      thread.interrupt();
      thread.join();
    }
    time.advance(ofMillis(499));
    assertFalse(next.isDone(), "not early either");
    time.advance(ofMillis(1));
    assertTrue(next.isDone());
    assertEquals(10, limiter.snapshot().cancelled());
    assertEquals(2, limiter.snapshot().granted());
  }

  // ---- a waiter that runs out of time has cost nothing

  @Test
  void aWaiterThatRunsOutOfTimeHasCostNothing() {
    Limiter limiter = limiter("concurrent(1)");
    Permit held = limiter.tryAcquire().orElseThrow();
    CompletableFuture<Permit> impatient = limiter.acquireAsync(1, ofSeconds(1));
    CompletableFuture<Permit> patient = limiter.acquireAsync();
    time.advance(ofSeconds(1));
    assertTrue(impatient.isCompletedExceptionally());
    held.answered();
    assertTrue(patient.isDone());
    assertEquals(2, limiter.snapshot().granted());
  }

  @Test
  void aWaitThatIsTooLongCostsNothing() throws InterruptedException {
    ManualTime self = ManualTime.selfAdvancing();
    Limiter limiter = Limiter.builder("10/1m").time(self).build();
    assertEquals(10, taken(limiter));
    for (int i = 0; i < 100; i++) {
      assertTrue(limiter.tryAcquire(1, ofSeconds(10)).isEmpty());
    }
    assertEquals(0, self.nanoTime(), "known at once");
    assertTrue(limiter.tryAcquire(1, ofMinutes(1)).isPresent());
    assertEquals(9, taken(limiter));
  }

  // ----

  @Test
  void aRequestRefusedByOneLimitIsChargedToNone() {
    Limiter limiter = limiter("10/1s & 100/1m of tokens");
    Cost large = Cost.of("tokens", 60);
    assertTrue(limiter.tryAcquire(large).isPresent());
    for (int i = 0; i < 20; i++) {
      assertTrue(limiter.tryAcquire(large).isEmpty(), "too many tokens");
    }
    assertEquals(9, taken(limiter), "the refusals were no calls");
    assertTrue(limiter.tryAcquire(Cost.of("tokens", 40)).isEmpty(), "too many calls");
    time.advance(ofSeconds(1));
    assertTrue(limiter.tryAcquire(Cost.of("tokens", 40)).isPresent());
  }

  /** A clock that goes on while nothing runs, not even timers: as when a process is stopped. */
  private static final class Stoppable implements Time {
    private final ManualTime running = ManualTime.manual();
    private long stopped;

    @Override
    public long nanoTime() {
      return running.nanoTime() + stopped;
    }

    @Override
    public Scheduled at(long instant, Runnable task) {
      return running.at(instant - stopped, task);
    }
  }

  @ParameterizedTest
  @CsvSource({"bucket(10/1s), 1", "'bucket(10/1s, burst=3)', 3", "spacing(100ms), 1", "10/1s, 10"})
  void aProcessThatWasStoppedDoesNotMakeUpForIt(String limit, int burst) {
    var stoppable = new Stoppable();
    Limiter limiter =
        Limiter.builder(limit).time(stoppable).executor(Runnable::run).stamped(true).build();
    assertEquals(burst, taken(limiter));
    List<CompletableFuture<Permit>> line = line(limiter, 100);
    stoppable.stopped += ofSeconds(10).toNanos();
    assertTrue(limiter.tryAcquire().isEmpty(), "others are in the queue");
    assertEquals(burst, done(line), "at most the burst at once");
    stoppable.running.advance(ofSeconds(1));
    assertEquals(burst + 10, done(line));
  }
}
