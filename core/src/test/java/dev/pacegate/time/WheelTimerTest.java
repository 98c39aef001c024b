package dev.pacegate.time;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.lang.ref.WeakReference;
import java.security.ProtectionDomain;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Real time: asserted on one side only, never early. */
@Timeout(60)
class WheelTimerTest {

  private static final long MILLI = 1_000_000;
  private static final long HOUR = 3_600_000 * MILLI;

  private final WheelTimer timer = new WheelTimer("test-timer");

  @AfterEach
  void stop() {
    timer.close();
  }

  private static void await(CountDownLatch latch) throws InterruptedException {
    assertTrue(latch.await(10, SECONDS));
  }

  private static void awaitUnchecked(CountDownLatch latch) {
    try {
      await(latch);
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void neverRunsATaskEarly() throws InterruptedException {
    var early = new ConcurrentLinkedQueue<Long>();
    var all = new CountDownLatch(300);
    var random = new Random(5);
    for (int i = 0; i < 300; i++) {
      long due = System.nanoTime() + random.nextInt(20_000_000);
      timer.at(due, () -> note(due, early, all));
    }
    await(all);
    assertEquals(0, early.size(), early::toString);
  }

  private static void note(long due, ConcurrentLinkedQueue<Long> early, CountDownLatch all) {
    long late = System.nanoTime() - due;
    if (late < 0) {
      early.add(late);
    }
    all.countDown();
  }

  @Test
  void aHundredThousandTasksAllRun() throws InterruptedException {
    var early = new ConcurrentLinkedQueue<Long>();
    var all = new CountDownLatch(100_000);
    var random = new Random(6);
    long start = System.nanoTime();
    for (int i = 0; i < 100_000; i++) {
      long due = start + (long) (random.nextDouble() * 1000 * MILLI);
      timer.at(due, () -> note(due, early, all));
    }
    await(all);
    assertEquals(0, early.size());
    assertEquals(0, timer.pending());
  }

  @Test
  void aTaskCancelledInTimeNeverRuns() throws InterruptedException {
    int cancelled = 0;
    for (int i = 0; i < 50 && cancelled == 0; i++) {
      cancelled = cancelTen();
    }
    assertTrue(cancelled > 0);
  }

  /** Returns how many were cancelled: all, unless the machine is busy for longer than 50 ms. */
  private int cancelTen() throws InterruptedException {
    var ran = new AtomicInteger();
    List<Timer.Scheduled> tasks = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      tasks.add(timer.at(System.nanoTime() + 50 * MILLI, ran::incrementAndGet));
    }
    int cancelled = 0;
    for (Timer.Scheduled task : tasks) {
      cancelled += task.cancel() ? 1 : 0;
      assertFalse(task.cancel());
    }
    assertEquals(0, timer.pending());
    var after = new CountDownLatch(1);
    timer.at(System.nanoTime() + 60 * MILLI, after::countDown);
    await(after);
    assertEquals(10, cancelled + ran.get());
    return cancelled;
  }

  @Test
  void aTaskThatRanCannotBeCancelled() throws InterruptedException {
    var ran = new CountDownLatch(1);
    Timer.Scheduled task = timer.at(System.nanoTime(), ran::countDown);
    await(ran);
    assertFalse(task.cancel());
  }

  @Test
  void anEarlierTaskWakesTheThreadThatSleepsForALaterOne() throws InterruptedException {
    timer.at(System.nanoTime() + HOUR, () -> {});
    var ran = new CountDownLatch(1);
    timer.at(System.nanoTime() + MILLI, ran::countDown);
    await(ran);
    assertEquals(1, timer.pending());
  }

  @Test
  void theFarthestInstantNeitherFiresNorFails() throws InterruptedException {
    var ran = new AtomicInteger();
    Timer.Scheduled far = timer.at(System.nanoTime() + Long.MAX_VALUE, ran::incrementAndGet);
    var near = new CountDownLatch(1);
    timer.at(System.nanoTime() + MILLI, near::countDown);
    await(near);
    assertEquals(0, ran.get());
    assertTrue(far.cancel());
  }

  @Test
  void aTaskThatThrowsHarmsNoOther() throws InterruptedException {
    var ran = new CountDownLatch(1);
    timer.at(
        System.nanoTime(),
        () -> {
          throw new StackOverflowError("of the task");
        });
    timer.at(System.nanoTime() + MILLI, ran::countDown);
    await(ran);
  }

  @Test
  void aTaskMayScheduleAgain() throws InterruptedException {
    var times = new CountDownLatch(5);
    timer.at(System.nanoTime(), new Again(times));
    await(times);
  }

  private final class Again implements Runnable {
    private final CountDownLatch times;

    Again(CountDownLatch times) {
      this.times = times;
    }

    @Override
    public void run() {
      times.countDown();
      if (times.getCount() > 0) {
        timer.at(System.nanoTime() + MILLI, this);
      }
    }
  }

  private static Thread threadOf(WheelTimer timer) {
    var running = new CompletableFuture<Thread>();
    timer.at(System.nanoTime(), () -> running.complete(Thread.currentThread()));
    return running.orTimeout(10, SECONDS).join();
  }

  /** Waits until the thread has run what is due and parks. */
  private static Thread parkedThreadOf(WheelTimer timer) {
    Thread thread = threadOf(timer);
    while (thread.getState() != Thread.State.TIMED_WAITING) {
      assertTrue(thread.isAlive());
      Thread.onSpinWait();
    }
    return thread;
  }

  @Test
  void anInstantLongPastWakesTheThreadThatWaitsForNothing() throws InterruptedException {
    parkedThreadOf(timer);
    var ran = new CountDownLatch(1);
    timer.at(System.nanoTime() - HOUR, ran::countDown);
    await(ran);
  }

  @Test
  void anInstantLongPastWakesTheThreadThatWaitsForTheFarthest() throws InterruptedException {
    timer.at(System.nanoTime() + Long.MAX_VALUE, () -> {});
    parkedThreadOf(timer);
    var ran = new CountDownLatch(1);
    timer.at(System.nanoTime() - HOUR, ran::countDown);
    await(ran);
  }

  @Test
  void aDueTaskCanBeCancelledUntilItRuns() throws InterruptedException {
    var first = new CountDownLatch(1);
    var cancelled = new CountDownLatch(1);
    var ran = new AtomicInteger();
    long due = System.nanoTime() + MILLI;
    timer.at(
        due,
        () -> {
          first.countDown();
          awaitUnchecked(cancelled);
        });
    Timer.Scheduled second = timer.at(due, ran::incrementAndGet);
    await(first);
    assertTrue(second.cancel());
    cancelled.countDown();
    parkedThreadOf(timer);
    assertEquals(0, ran.get());
  }

  @Test
  void closingReturnsWhatIsDueAndHasNotBegun() throws InterruptedException {
    var first = new CountDownLatch(1);
    var closed = new CountDownLatch(1);
    long due = System.nanoTime() + MILLI;
    timer.at(
        due,
        () -> {
          first.countDown();
          awaitUnchecked(closed);
        });
    Runnable second = () -> {};
    timer.at(due, second);
    await(first);
    assertEquals(List.of(second), timer.shutdownNow());
    closed.countDown();
  }

  @Test
  void aMillionCancelledTasksAreForgottenAtOnceThoughTheirHandlesAreHeld() {
    var handles = new ArrayList<Timer.Scheduled>();
    var tasks = new ArrayList<WeakReference<Runnable>>();
    long now = System.nanoTime();
    for (int i = 0; i < 1_000_000; i++) {
      var task = new AtomicInteger(i);
      handles.add(timer.at(now + HOUR + i * 100_000L, task::incrementAndGet));
      if (i % 1000 == 0) {
        Runnable sample = new Again(new CountDownLatch(i));
        tasks.add(new WeakReference<>(sample));
        handles.add(timer.at(now + HOUR + i * 100_000L, sample));
      }
    }
    Collections.shuffle(handles, new Random(7));
    assertTrue(handles.stream().allMatch(Timer.Scheduled::cancel));
    assertEquals(0, timer.pending());
    System.gc();
    assertTrue(tasks.stream().allMatch(task -> task.get() == null));
    assertFalse(handles.get(0).cancel());
  }

  @Test
  void aTaskThatHasRunIsForgotten() throws InterruptedException {
    var handles = new ArrayList<Timer.Scheduled>();
    awaitCleared(runOne(handles), "the task");
    assertFalse(handles.get(0).cancel());
  }

  private WeakReference<Runnable> runOne(List<Timer.Scheduled> handles)
      throws InterruptedException {
    var ran = new CountDownLatch(1);
    Runnable task = new Again(ran);
    handles.add(timer.at(System.nanoTime(), task));
    await(ran);
    return new WeakReference<>(task);
  }

  private static void awaitCleared(WeakReference<?> reference, String what)
      throws InterruptedException {
    for (int i = 0; reference.get() != null && i < 100; i++) {
      System.gc();
      Thread.sleep(10); // nothing tells when the last frame that holds it is gone
    }
    assertNull(reference.get(), what + " is still held");
  }

  @Test
  @SuppressWarnings("ThreadPriorityCheck") // about which this is
  void theThreadInheritsNothing() {
    var local = new InheritableThreadLocal<String>();
    var seen = new CompletableFuture<Boolean>();
    var running = new CompletableFuture<Thread>();
    var caller =
        new Thread(
            () -> {
              local.set("of the caller");
              timer.at(System.nanoTime(), () -> seen.complete(local.get() != null));
              timer.at(System.nanoTime(), () -> running.complete(Thread.currentThread()));
            });
    caller.setContextClassLoader(new ClassLoader() {});
    caller.setPriority(Thread.MIN_PRIORITY);
    caller.start();
    Thread thread = running.orTimeout(10, SECONDS).join();
    assertFalse(seen.join());
    assertTrue(thread.isDaemon());
    assertEquals(Thread.NORM_PRIORITY, thread.getPriority());
    assertSame(ClassLoader.getSystemClassLoader(), thread.getContextClassLoader());
    assertEquals("test-timer", thread.getName());
  }

  /** Code of another class loader is on the stack when the thread is made, and may be unloaded. */
  @Test
  void theThreadKeepsNoClassLoaderOfItsFirstCaller() throws Exception {
    var reference = new WeakReference<>(startFromAnotherLoader(timer));
    awaitCleared(reference, "the caller's class loader");
    assertEquals(1, timer.pending());
  }

  private static ClassLoader startFromAnotherLoader(WheelTimer timer) throws Exception {
    var loader = new Copying();
    Class<?> copy = loader.loadClass(FirstCaller.class.getName());
    assertNotSame(FirstCaller.class, copy);
    var constructor = copy.getDeclaredConstructor();
    constructor.setAccessible(true);
    @SuppressWarnings("unchecked")
    var caller = (Consumer<Runnable>) constructor.newInstance();
    caller.accept(() -> timer.at(System.nanoTime() + HOUR, () -> {}));
    return loader;
  }

  /** Calls what it is given. */
  static final class FirstCaller implements Consumer<Runnable> {
    @Override
    public void accept(Runnable call) {
      call.run();
    }
  }

  /** Defines {@link FirstCaller} once more, in a protection domain of its own. */
  private static final class Copying extends ClassLoader {
    Copying() {
      super(WheelTimerTest.class.getClassLoader());
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
      if (!name.equals(FirstCaller.class.getName())) {
        return super.loadClass(name, resolve);
      }
      String file = name.replace('.', '/') + ".class";
      try (InputStream in = WheelTimerTest.class.getClassLoader().getResourceAsStream(file)) {
        byte[] code = in.readAllBytes();
        var domain = new ProtectionDomain(null, null, this, null);
        return defineClass(name, code, 0, code.length, domain);
      } catch (IOException e) {
        throw new ClassNotFoundException(name, e);
      }
    }
  }

  @Test
  void theThreadEndsWhenItIsNotNeededAndComesBack() throws InterruptedException {
    try (var brief = new WheelTimer("brief", System::nanoTime, 5 * MILLI)) {
      Thread first = threadOf(brief);
      first.join(10_000);
      assertFalse(first.isAlive());

      brief.at(System.nanoTime() + HOUR, () -> {});
      Thread second = threadOf(brief);
      assertNotSame(first, second);
      Thread.sleep(20); // longer than it is kept alive without a task: it must live on for one
      LockSupport.unpark(second);
      second.join(20);
      assertTrue(second.isAlive());
    }
  }

  @Test
  void schedulingAndCancellingWakesTheThreadOnce() {
    parkedThreadOf(timer);
    long before = timer.wakeUps();
    for (int i = 0; i < 20_000; i++) {
      assertTrue(timer.at(System.nanoTime() + HOUR / 1000, () -> {}).cancel());
    }
    long wakeUps = timer.wakeUps() - before;
    assertTrue(wakeUps <= 2, () -> wakeUps + " times");
  }

  @Test
  void theThreadDoesNotRunWhileNothingIsDue() throws InterruptedException {
    parkedThreadOf(timer);
    long before = timer.wakeUps();
    Thread.sleep(200); // this is about doing nothing in real time
    assertEquals(before, timer.wakeUps());

    timer.at(System.nanoTime() + HOUR, () -> {});
    parkedThreadOf(timer);
    before = timer.wakeUps();
    Thread.sleep(200); // likewise, with a task pending
    assertEquals(before, timer.wakeUps());
  }

  @Test
  void closingTellsWhatWillNeverRun() throws InterruptedException {
    Runnable never = () -> {};
    timer.at(System.nanoTime() + HOUR, never);
    assertEquals(List.of(never), timer.shutdownNow());
    assertEquals(List.of(), timer.shutdownNow());
    assertThrows(RejectedExecutionException.class, () -> timer.at(0, () -> {}));
  }

  @Test
  void closingEndsTheThread() throws InterruptedException {
    Thread thread = parkedThreadOf(timer);
    timer.close();
    thread.join(10_000);
    assertFalse(thread.isAlive());
  }

  @Test
  void aTaskMayCloseItsTimer() throws InterruptedException {
    var closed = new CountDownLatch(1);
    timer.at(
        System.nanoTime(),
        () -> {
          timer.close();
          closed.countDown();
        });
    await(closed);
    assertThrows(RejectedExecutionException.class, () -> timer.at(0, () -> {}));
  }

  @Test
  void manyThreadsScheduleAndCancelAtOnce() throws InterruptedException {
    var ran = new AtomicLong();
    var cancelled = new AtomicLong();
    var threads = new ArrayList<Thread>();
    for (int t = 0; t < 4; t++) {
      var random = new Random(t);
      var thread =
          new Thread(
              () -> {
                for (int i = 0; i < 50_000; i++) {
                  long due = System.nanoTime() + random.nextInt(2_000_000);
                  Timer.Scheduled task = timer.at(due, ran::incrementAndGet);
                  if (random.nextBoolean() && task.cancel()) {
                    cancelled.incrementAndGet();
                  }
                }
              });
      threads.add(thread);
      thread.start();
    }
    for (Thread thread : threads) {
      thread.join();
    }
    var last = new CountDownLatch(1);
    timer.at(System.nanoTime() + 100 * MILLI, last::countDown);
    await(last);
    assertEquals(200_000, ran.get() + cancelled.get());
  }

  /** What is overdue when it comes must wake a timer that has nothing to wait for. */
  @Test
  void wakesForWhatIsOverdue() throws InterruptedException {
    for (int round = 0; round < 100; round++) {
      var ran = new CountDownLatch(1);
      timer.at(System.nanoTime() - MILLI, ran::countDown);
      await(ran);
    }
  }
}
