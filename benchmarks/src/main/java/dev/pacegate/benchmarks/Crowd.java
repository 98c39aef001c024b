package dev.pacegate.benchmarks;

import dev.pacegate.Limiter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;

/**
 * How soon the first of a crowd sends when all of the crowd may go: from the stamp of its permit
 * until it has returned, beside a fair {@link Semaphore} whose permits are released all at once.
 *
 * <p>In rounds, of the limiter and of the semaphore in turn, by the same threads.
 */
public final class Crowd {

  /** The goal: the limiter's first may take so many times as long as the semaphore's. */
  static final double GOAL = 1.5;

  private static final Duration SETTLES = Duration.ofMillis(20);
  private static final int WARM_UP = 20;

  /** What was found with so many threads: nanoseconds until the first has returned. */
  record Row(int threads, Times limiter, Times semaphore) {

    /** Returns how many times as long the limiter's first takes, at {@code share} of the rounds. */
    double ratio(double share) {
      return (double) limiter.at(share) / semaphore.at(share);
    }
  }

  /** Sorted nanoseconds. */
  record Times(List<Long> sorted) {

    long at(double share) {
      return sorted.get((int) Math.ceil(share * sorted.size()) - 1);
    }
  }

  /** What the threads wait at, and what lets all of them go. */
  private interface Barrier {

    /** Waits; returns the instant from which to count. */
    long pass() throws InterruptedException;

    int waiting();

    /** Returns whether it has opened by itself. */
    default boolean isOpen() {
      return false;
    }

    /** Lets all go. */
    void open() throws InterruptedException;
  }

  /** The threads of one round after the other. */
  private static final class Crew {
    private final int size;
    private final List<Thread> threads = new ArrayList<>();
    private final Semaphore turns = new Semaphore(0);
    private volatile Barrier barrier;
    private volatile CountDownLatch passed;
    private final AtomicInteger come = new AtomicInteger();
    private final AtomicLong first = new AtomicLong();

    Crew(int size) {
      this.size = size;
      for (int i = 0; i < size; i++) {
        var thread = new Thread(null, this::work, "crowd", 1 << 18);
        thread.setDaemon(true);
        thread.start();
        threads.add(thread);
      }
    }

    private void work() {
      try {
        while (true) {
          turns.acquire();
          int place = come.getAndIncrement();
          long from = barrier.pass();
          long took = System.nanoTime() - from;
          if (place == 0) {
            first.set(took);
          }
          passed.countDown();
        }
      } catch (InterruptedException over) {
        // the end
      }
    }

    /** Returns for how many nanoseconds the first was on its way. */
    long round(Barrier next) throws InterruptedException {
      barrier = next;
      passed = new CountDownLatch(size);
      come.set(0);
      turns.release();
      await(() -> next.waiting() == 1 || next.isOpen());
      turns.release(size - 1);
      await(() -> next.waiting() == size || next.isOpen());
      Thread.sleep(SETTLES.toMillis()); // until all are asleep
      next.open();
      passed.await();
      return first.get();
    }

    void end() throws InterruptedException {
      threads.forEach(Thread::interrupt);
      for (Thread thread : threads) {
        thread.join();
      }
    }

    private static void await(BooleanSupplier condition) throws InterruptedException {
      while (!condition.getAsBoolean()) {
        Thread.sleep(1); // what is awaited needs the processors
      }
    }
  }

  private final int rounds;
  private final List<Row> rows = new ArrayList<>();

  Crowd(int rounds) {
    this.rounds = rounds;
  }

  List<Row> rows() {
    return List.copyOf(rows);
  }

  void measure(int threads) throws InterruptedException {
    var crew = new Crew(threads);
    long millis = 100 + threads / 10;
    var limiter = new long[rounds];
    var semaphore = new long[rounds];
    for (int round = -WARM_UP; round < rounds; round++) {
      var window = new Window(threads, millis);
      long ours = crew.round(window);
      while (window.wasEarly) { // before all waited: the machine is busy
        millis *= 2;
        window = new Window(threads, millis);
        ours = crew.round(window);
      }
      long theirs = crew.round(semaphore());
      if (round >= 0) {
        limiter[round] = ours;
        semaphore[round] = theirs;
      }
    }
    crew.end();
    rows.add(new Row(threads, sorted(limiter), sorted(semaphore)));
  }

  private static Times sorted(long[] nanos) {
    return new Times(Arrays.stream(nanos).sorted().boxed().toList());
  }

  /** A window that opens by itself, so that the first thread is woken by the clock. */
  private static final class Window implements Barrier {
    private final Limiter limiter;
    private final long opens;
    private boolean wasEarly;

    Window(int threads, long millis) {
      limiter = Limiter.builder(threads + "/" + millis + "ms").stamped(true).build();
      opens = limiter.acquireUninterruptibly(threads).releasedAt() + millis * 1_000_000;
    }

    @Override
    public long pass() throws InterruptedException {
      return limiter.acquire().releasedAt();
    }

    @Override
    public boolean isOpen() {
      return System.nanoTime() - opens > 0;
    }

    @Override
    public int waiting() {
      return limiter.snapshot().waiting();
    }

    @Override
    public void open() {
      wasEarly = isOpen();
    }
  }

  private static Barrier semaphore() {
    var semaphore = new Semaphore(0, true);
    var from = new AtomicLong();
    return new Barrier() {
      @Override
      public long pass() throws InterruptedException {
        semaphore.acquire();
        return from.get();
      }

      @Override
      public int waiting() {
        return semaphore.getQueueLength();
      }

      @Override
      public void open() {
        int all = semaphore.getQueueLength();
        from.set(System.nanoTime());
        semaphore.release(all);
      }
    };
  }
}
