package dev.pacegate.dispatch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.Limiter;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.Test;

/** An interrupt reaches the task that it is meant for, and no other. */
class ExecutorInterruptTest extends ExecutorsOnManualTime {

  /** One thread that, unlike the JDK's pools, leaves its interrupt flag as tasks leave it. */
  private static final class Bare implements Executor {
    final LinkedBlockingQueue<Runnable> tasks = new LinkedBlockingQueue<>();
    final List<Boolean> leaked = new CopyOnWriteArrayList<>();

    Bare() {
      Rig.start(
          () -> {
            while (true) {
              Runnable task = tasks.take();
              task.run();
              leaked.add(Thread.interrupted());
            }
          });
    }

    @Override
    public void execute(Runnable task) {
      tasks.add(task);
    }
  }

  private static void busyUntilInterrupted() {
    while (!Thread.currentThread().isInterrupted()) {
      Thread.onSpinWait();
    }
  }

  @Test
  void anInterruptedTaskDoesNotInterruptTheNext() {
    Limiter limiter = Limiter.of("concurrent(1)");
    var bare = new Bare();
    ThrottledExecutorService executor = ThrottledExecutorService.of(limiter, bare);
    for (int round = 0; round < 100; round++) {
      var started = new CountDownLatch(1);
      Future<?> cancelled =
          executor.submit(
              () -> {
                started.countDown();
                busyUntilInterrupted();
              });
      awaitUninterruptibly(started);
      assertTrue(cancelled.cancel(true));
      executor.execute(() -> ran.add("interrupted: " + Thread.currentThread().isInterrupted()));
    }
    // One whose thread came late may have been sent for once more.
    Rig.await("all tasks", () -> bare.leaked.size() >= 200 && ran.size() == 100);
    assertEquals(Set.of("interrupted: false"), new HashSet<>(ran));
    assertFalse(bare.leaked.contains(true));
    Rig.assertIdle(limiter);
  }

  @Test
  void shuttingDownNowInterruptsNoOtherThread() {
    Limiter limiter = Limiter.of("concurrent(1)");
    var bare = new Bare();
    for (int round = 1; round <= 100; round++) {
      ThrottledExecutorService executor = ThrottledExecutorService.of(limiter, bare);
      var started = new CountDownLatch(1);
      executor.execute(
          () -> {
            started.countDown();
            busyUntilInterrupted();
          });
      awaitUninterruptibly(started);
      executor.shutdownNow();
      int rounds = round;
      Rig.await("the end of the task", () -> bare.leaked.size() >= rounds);
    }
    assertFalse(bare.leaked.contains(true));
    Rig.assertIdle(limiter);
  }
}
