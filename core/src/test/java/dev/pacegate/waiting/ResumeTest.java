package dev.pacegate.waiting;

import static dev.pacegate.limit.Limits.concurrent;
import static java.util.Objects.requireNonNull;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertIterableEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.Limiter;
import dev.pacegate.LimiterClosedException;
import dev.pacegate.Permit;
import dev.pacegate.limit.Cost;
import dev.pacegate.thread.TimerThread;
import dev.pacegate.time.ManualTime;
import dev.pacegate.time.Time;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.BiConsumer;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Requests that only schedule what goes on are resumed by the thread that lets them go. */
@Timeout(120)
class ResumeTest {

  private static final Duration FOR_EVER = Duration.ofNanos(Long.MAX_VALUE);
  private static final int MOST = 32; // by a thread that has come for something else

  private final ArrayDeque<Runnable> tasks = new ArrayDeque<>(); // of the limiter's executor
  private final List<Integer> resumed = new ArrayList<>();

  private Limiter limiter(Executor executor) {
    return Limiter.builder("concurrent(1)").time(ManualTime.manual()).executor(executor).build();
  }

  private static void join(Limiter limiter, BiConsumer<@Nullable Permit, Throwable> resume) {
    var unused = limiter.acquireAsync(Cost.ONE, FOR_EVER, resume);
  }

  private void joinAll(Limiter limiter, int many) {
    for (int i = 0; i < many; i++) {
      int number = i;
      join(limiter, (permit, refused) -> resumed.add(number));
    }
  }

  private static List<Integer> upTo(int end) {
    return IntStream.range(0, end).boxed().toList();
  }

  private void runTasks() {
    while (!tasks.isEmpty()) {
      tasks.remove().run();
    }
  }

  @Test
  void isResumedByTheThreadThatEndsThePermitBefore() {
    Limiter limiter = limiter(tasks::add);
    Permit held = Crew.spend(limiter);
    joinAll(limiter, 1);
    held.answered();
    assertEquals(List.of(0), resumed);
    assertTrue(tasks.isEmpty(), "no other thread is asked");
    assertEquals(1, limiter.snapshot().open());
  }

  /** Each ends its permit as it is resumed, within the end of the one before. */
  @Test
  void tenThousandGoInOrderAndNotWithinEachOther() {
    for (Executor executor : List.<Executor>of(tasks::add, Runnable::run)) {
      resumed.clear();
      var depths = new ArrayList<Long>();
      Limiter limiter = limiter(executor);
      Permit held = Crew.spend(limiter);
      for (int i = 0; i < 10_000; i++) {
        int number = i;
        join(
            limiter,
            (permit, refused) -> {
              resumed.add(number);
              depths.add(StackWalker.getInstance().walk(frames -> frames.count()));
              requireNonNull(permit).answered();
            });
      }
      held.answered();
      runTasks();
      assertIterableEquals(upTo(10_000), resumed);
      long least = depths.stream().mapToLong(depth -> depth).min().orElseThrow();
      long most = depths.stream().mapToLong(depth -> depth).max().orElseThrow();
      assertTrue(most < least + 20, least + " to " + most);
      assertEquals(0, limiter.snapshot().open());
    }
  }

  @Test
  void aThreadThatComesForSomethingElseLeavesACrowdToTheExecutor() {
    Limiter limiter = limiter(tasks::add);
    Permit held = Crew.spend(limiter);
    joinAll(limiter, 1_000);
    limiter.setLimit(concurrent(2_000));
    assertIterableEquals(upTo(MOST), resumed);
    runTasks();
    assertIterableEquals(upTo(1_000), resumed);
    held.answered();
  }

  @Test
  void aPlainFutureIsLeftToTheExecutorWithAllBehindIt() {
    Limiter limiter = limiter(tasks::add);
    Permit held = Crew.spend(limiter);
    joinAll(limiter, 1);
    var plain = limiter.acquireAsync().thenAccept(permit -> resumed.add(100));
    join(limiter, (permit, refused) -> resumed.add(200));
    limiter.setLimit(concurrent(10));
    assertEquals(List.of(0), resumed);
    runTasks();
    assertEquals(List.of(0, 100, 200), resumed);
    assertTrue(plain.isDone());
    held.answered();
  }

  @Test
  void anExecutorThatRunsTasksOnItsCallerCompletesTheRest() {
    Limiter limiter = limiter(Runnable::run);
    Permit held = Crew.spend(limiter);
    joinAll(limiter, 1_000);
    var plain = limiter.acquireAsync();
    limiter.setLimit(concurrent(2_000));
    assertIterableEquals(upTo(1_000), resumed);
    assertTrue(plain.isDone());
    held.answered();
  }

  @Test
  void anExceptionOfOneDoesNotKeepTheNextFromBeingResumed() {
    Limiter limiter = limiter(tasks::add);
    Permit held = Crew.spend(limiter);
    join(
        limiter,
        (permit, refused) -> {
          requireNonNull(permit).answered();
          throw new IllegalStateException("of the first");
        });
    joinAll(limiter, 1);
    held.answered();
    assertEquals(List.of(0), resumed);
  }

  @Test
  void oneThatCannotBeResumedLosesItsPermitToTheNext() {
    Limiter limiter = limiter(tasks::add);
    Permit held = Crew.spend(limiter);
    join(
        limiter,
        (permit, refused) -> {
          throw new IllegalStateException("on purpose");
        });
    joinAll(limiter, 1);
    held.answered();
    assertEquals(List.of(0), resumed);
  }

  /** After an error the limiter no longer trusts the thread that resumes, which is still there. */
  @Test
  void evenAfterAnErrorNoneIsResumedWithinAnother() {
    var time = new NoTimerTime();
    Limiter limiter = Limiter.builder("concurrent(1)").time(time).executor(tasks::add).build();
    Permit held = Crew.spend(limiter);
    join(
        limiter,
        (permit, refused) -> {
          time.fails = true;
          var unused = limiter.acquireAsync(Duration.ofSeconds(1));
          time.fails = false;
          requireNonNull(permit).answered();
          resumed.add(-1);
        });
    joinAll(limiter, 1);
    held.answered();
    runTasks();
    assertEquals(List.of(-1, 0), resumed);
  }

  /** Manual time that starts no timer while it fails. */
  private static final class NoTimerTime implements Time {
    private final ManualTime time = ManualTime.manual();
    private boolean fails;

    @Override
    public long nanoTime() {
      return time.nanoTime();
    }

    @Override
    public Instant instant() {
      return time.instant();
    }

    @Override
    public Scheduled at(long instant, Runnable task) {
      if (fails) {
        throw new IllegalStateException("no timer");
      }
      return time.at(instant, task);
    }
  }

  @Test
  void theTimersThreadResumesNone() {
    Limiter limiter = Limiter.of("1/20ms");
    var seen = new CompletableFuture<Thread>();
    Permit first = limiter.acquireUninterruptibly();
    join(limiter, (permit, refused) -> seen.complete(Thread.currentThread()));
    assertFalse(seen.join() instanceof TimerThread, () -> seen.join().getName());
    assertNotSame(Thread.currentThread(), seen.join());
    first.answered();
  }

  @Test
  void isResumedWhenRefused() {
    Limiter limiter = limiter(tasks::add);
    Permit held = Crew.spend(limiter);
    var failure = new CompletableFuture<Throwable>();
    join(limiter, (permit, refused) -> failure.complete(refused));
    limiter.close();
    assertInstanceOf(LimiterClosedException.class, failure.join());
    held.answered();
  }

  @Test
  void cancellingLeavesTheQueue() {
    Limiter limiter = limiter(tasks::add);
    Permit held = Crew.spend(limiter);
    var first = limiter.acquireAsync(Cost.ONE, FOR_EVER, (permit, refused) -> resumed.add(-1));
    joinAll(limiter, 1);
    resumed.clear();
    assertTrue(first.cancel(false));
    assertEquals(List.of(-1), resumed);
    held.answered();
    assertEquals(List.of(-1, 0), resumed);
  }
}
