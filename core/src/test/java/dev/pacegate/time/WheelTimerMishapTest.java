package dev.pacegate.time;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.PrintStream;
import java.io.PrintWriter;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Whatever happens to a task, to the thread or to a caller: the timer goes on. */
@Timeout(60)
class WheelTimerMishapTest {

  private static final long MILLI = 1_000_000;
  private static final long HOUR = 3_600_000 * MILLI;
  private static final long SMALL_STACK = 192 * 1024;
  private static final int DESCENTS = 40;

  private int accepted; // plain, as counting must not overflow the stack; one caller at a time
  private final AtomicInteger failures = new AtomicInteger(); // still to come, of the clock
  private final WheelTimer timer = new WheelTimer("mishaps", this::readOrFail, HOUR);

  private long readOrFail() {
    if (failures.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
      throw new OutOfMemoryError("thrown by a test");
    }
    return System.nanoTime();
  }

  @AfterEach
  void stop() {
    timer.close();
  }

  private void assertWorks() throws InterruptedException {
    var ran = new CountDownLatch(2);
    timer.at(System.nanoTime(), ran::countDown);
    timer.at(System.nanoTime() + MILLI, ran::countDown);
    assertTrue(ran.await(10, SECONDS), "the timer has stopped");
  }

  private Thread thread() throws InterruptedException {
    var thread = new Thread[1];
    var ran = new CountDownLatch(1);
    timer.at(
        System.nanoTime(),
        () -> {
          thread[0] = Thread.currentThread();
          ran.countDown();
        });
    assertTrue(ran.await(10, SECONDS));
    return thread[0];
  }

  @Test
  void aTaskMayOverflowTheStack() throws InterruptedException {
    Thread before = thread();
    timer.at(System.nanoTime(), WheelTimerMishapTest::descendForEver);
    assertWorks();
    assertSame(before, thread());
  }

  @SuppressWarnings("InfiniteRecursion") // that is what it is for
  private static void descendForEver() {
    descendForEver();
    Thread.onSpinWait(); // so that it is no tail call
  }

  @Test
  void aTaskMayRunOutOfMemory() throws InterruptedException {
    timer.at(System.nanoTime(), () -> assertNotNull(new long[Integer.MAX_VALUE]));
    assertWorks();
  }

  @Test
  void aTaskMayFailWithWhatCannotEvenBeLogged() throws InterruptedException {
    Thread before = thread();
    timer.at(
        System.nanoTime(),
        () -> {
          throw new Unspeakable();
        });
    assertWorks();
    assertSame(before, thread());
  }

  private static final class Unspeakable extends Error {
    private static final long serialVersionUID = 1;

    @Override
    public void printStackTrace(PrintStream to) {
      throw this;
    }

    @Override
    public void printStackTrace(PrintWriter to) {
      throw this;
    }

    @Override
    public String getMessage() {
      throw this;
    }
  }

  @Test
  void anErrorOfTheThreadItselfPasses() throws InterruptedException {
    Thread before = thread();
    failures.set(3);
    assertWorks();
    assertEquals(0, failures.get());
    assertSame(before, thread());
  }

  @Test
  void whereTheThreadCannotBeStartedTheNextCallerTriesAgain() throws InterruptedException {
    failures.set(1);
    assertThrows(OutOfMemoryError.class, () -> timer.at(System.nanoTime(), () -> {}));
    assertEquals(0, timer.pending());
    assertWorks();
  }

  @Test
  void anInterruptNeitherEndsTheThreadNorKeepsItAwake() throws InterruptedException {
    Thread thread = thread();
    timer.at(System.nanoTime() + HOUR, () -> {});
    var seen = new AtomicInteger();
    var ran = new CountDownLatch(1);
    timer.at(System.nanoTime(), thread::interrupt);
    timer.at(
        System.nanoTime(),
        () -> {
          seen.set(Thread.currentThread().isInterrupted() ? 1 : 0);
          ran.countDown();
        });
    assertTrue(ran.await(10, SECONDS));
    assertEquals(0, seen.get(), "one task's interrupt reached another");

    long before = timer.wakeUps();
    thread.interrupt();
    Thread.sleep(50); // would be awake all that time
    long wakeUps = timer.wakeUps() - before;
    assertTrue(wakeUps <= 3, () -> wakeUps + " times");
    assertWorks();
  }

  @Test
  void aTaskMayUseUpOrLeaveAPermitToPark() throws InterruptedException {
    Thread thread = thread();
    timer.at(System.nanoTime(), () -> LockSupport.parkNanos(MILLI));
    timer.at(System.nanoTime(), () -> LockSupport.unpark(thread));
    assertWorks();
  }

  /**
   * A thread that schedules or cancels at the end of its stack fails or not; either way, what the
   * timer has accepted runs once, unless it was cancelled, and the lock is free.
   */
  @Test
  void aCallerMayRunOutOfStack() throws InterruptedException {
    var ran = new AtomicInteger();
    var overflows = new AtomicInteger();
    for (int i = 0; i < DESCENTS; i++) {
      int spare = i;
      var caller =
          new Thread(
              null,
              () ->
                  descend(
                      overflows,
                      () -> {
                        var task =
                            timer.at(System.nanoTime() + spare * 10_000L, ran::getAndIncrement);
                        accepted++;
                        if (spare % 2 == 0 && task.cancel()) {
                          accepted--;
                        }
                      }),
              "caller",
              SMALL_STACK + 16L * i);
      caller.start();
      caller.join();
      int left = timer.pending();
      assertTrue(left >= 0, () -> "pending " + left);
    }
    assertTrue(overflows.get() > DESCENTS, () -> "only " + overflows + " overflows");
    var last = new CountDownLatch(1);
    timer.at(System.nanoTime() + 20 * MILLI, last::countDown);
    assertTrue(last.await(10, SECONDS), "the timer has stopped");
    assertEquals(0, timer.pending());
    assertEquals(accepted, ran.get());
  }

  /** Goes down until the stack ends; on the way up each frame asks, until asking succeeds. */
  @SuppressWarnings("InfiniteRecursion") // ends with the stack
  private static boolean descend(AtomicInteger overflows, Runnable asking) {
    try {
      if (descend(overflows, asking)) {
        return true;
      }
    } catch (StackOverflowError end) {
      // here it begins
    }
    try {
      asking.run();
      return true;
    } catch (StackOverflowError more) {
      overflows.getAndIncrement();
      return false;
    }
  }
}
