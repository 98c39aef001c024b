package dev.pacegate;

import dev.pacegate.limit.Cost;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;

/** Threads that do everything at once that can be done with a limiter. */
final class Crowd {

  /**
   * How long to wait for what must come: far longer than anything takes, even on a busy machine.
   */
  static final Duration PATIENCE = Duration.ofSeconds(30);

  private final Limiter limiter;
  private final Ledger ledger;
  private final StressTest.Scenario scenario;
  private final long seed;
  private final AtomicReference<Throwable> failure = new AtomicReference<>();
  private final BlockingQueue<Runnable> elsewhere = new LinkedBlockingQueue<>();
  private final Queue<CompletableFuture<?>> promised = new ConcurrentLinkedQueue<>();
  private final List<Thread> workers = new ArrayList<>();
  private final CountDownLatch working;
  final AtomicLong callsGivenUp = new AtomicLong();
  private volatile boolean over;
  private volatile boolean allEnded;

  Crowd(StressTest.Scenario scenario, Limiter limiter, Ledger ledger, long seed) {
    this.scenario = scenario;
    this.limiter = limiter;
    this.ledger = ledger;
    this.seed = seed;
    this.working = new CountDownLatch(scenario.platform() + virtual());
  }

  private int virtual() {
    return VirtualThreads.exist() ? scenario.virtual() : 0;
  }

  /**
   * Lets everybody work for {@code span}, and on a busy machine until enough has happened, then
   * waits for the end of everything that was begun.
   */
  void work(Duration span) throws Exception {
    for (int i = 0; i < scenario.platform(); i++) {
      int number = i;
      workers.add(daemon("worker " + i, () -> work(new Random(seed + number))));
    }
    for (int i = 0; i < virtual(); i++) {
      int number = 1_000 + i;
      workers.add(VirtualThreads.start(() -> work(new Random(seed + number))));
    }
    var steering = daemon("steering", () -> steer(new Random(seed - 1)));
    var disturbing = daemon("disturbing", () -> disturb(new Random(seed - 2)));
    var ending = List.of(daemon("ending 0", this::end), daemon("ending 1", this::end));

    TimeUnit.NANOSECONDS.sleep(span.toNanos()); // real time: so long it is to go on
    try {
      StressTest.await(
          () -> limiter.snapshot().granted() > 100 || failure.get() != null,
          () -> limiter.snapshot().granted() + " granted of more than 100");
    } finally {
      over = true;
    }
    join(steering);
    join(disturbing);
    for (Thread worker : workers) {
      join(worker);
    }
    for (CompletableFuture<?> future : promised) {
      settled(future);
    }
    allEnded = true;
    for (Thread thread : ending) {
      join(thread);
    }
    if (failure.get() != null) {
      throw new AssertionError("a worker failed", failure.get());
    }
  }

  private Thread daemon(String name, Runnable work) {
    var thread = new Thread(guarded(work), name);
    thread.setDaemon(true);
    thread.start();
    return thread;
  }

  private Runnable guarded(Runnable work) {
    return () -> {
      try {
        work.run();
      } catch (Throwable unexpected) {
        failure.compareAndSet(null, unexpected);
      }
    };
  }

  private static void join(Thread thread) throws InterruptedException {
    thread.join(PATIENCE.toMillis());
    if (thread.isAlive()) {
      var stuck = new AssertionError("stuck: " + thread);
      stuck.setStackTrace(thread.getStackTrace());
      throw stuck;
    }
  }

  private static void settled(CompletableFuture<?> future) throws Exception {
    try {
      future.handle((result, failed) -> result).get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    } catch (java.util.concurrent.TimeoutException stuck) {
      throw new AssertionError("a future is stuck", stuck);
    }
  }

  // ---- workers

  private void work(Random random) {
    try {
      while (!over) {
        try {
          ask(random);
        } catch (InterruptedException disturbed) {
          // Goes on with something else.
        } catch (WaitTooLongException | WaitQueueFullException refused) {
          // Likewise.
        } catch (IOException | IllegalStateException ofTheJob) {
          if (!"of the job".equals(ofTheJob.getMessage())) {
            throw ofTheJob;
          }
        }
      }
    } catch (Throwable unexpected) {
      failure.compareAndSet(null, unexpected);
    } finally {
      working.countDown();
    }
  }

  private void ask(Random random) throws Exception {
    Cost cost = Cost.of(1 + (random.nextInt(4) == 0 ? random.nextInt((int) scenario.costs()) : 0));
    switch (random.nextInt(10)) {
      case 0, 1 -> use(limiter.acquire(cost), cost, random);
      case 2, 3 -> {
        var permit = limiter.tryAcquire(cost);
        if (permit.isPresent()) {
          use(permit.get(), cost, random);
        }
      }
      case 4, 5 -> {
        var permit = limiter.tryAcquire(cost, tiny(random));
        if (permit.isPresent()) {
          use(permit.get(), cost, random);
        }
      }
      case 6 -> await(limiter.acquireAsync(cost), cost, random);
      case 7 -> await(limiter.acquireAsync(cost, tiny(random)), cost, random);
      case 8 -> callAsync(cost, random);
      default -> call(cost, random);
    }
  }

  /** From a microsecond to five milliseconds, the short ones as often as the long ones. */
  private static Duration tiny(Random random) {
    return Duration.ofNanos((long) (1_000 * Math.pow(5_000, random.nextDouble())));
  }

  private void call(Cost cost, Random random) throws Exception {
    int outcome = random.nextInt(4);
    limiter.call(
        cost,
        () -> {
          Ledger.Use use = ledger.began(cost);
          ledger.ends(use, Ledger.End.ANSWERED);
          if (outcome == 0) {
            throw new IOException("of the job");
          } else if (outcome == 1) {
            throw new IllegalStateException("of the job");
          }
          return outcome;
        });
  }

  private void callAsync(Cost cost, Random random) {
    long delay = random.nextInt(200_000);
    boolean fails = random.nextInt(4) == 0;
    CompletableFuture<String> call =
        limiter.callAsync(
            cost,
            () -> {
              Ledger.Use use = ledger.began(cost);
              var answer =
                  new CompletableFuture<String>() {
                    @Override
                    public boolean cancel(boolean mayInterrupt) {
                      ledger.ends(use, Ledger.End.ANSWERED);
                      return super.cancel(mayInterrupt);
                    }
                  };
              elsewhere.add(
                  () -> {
                    LockSupport.parkNanos(delay); // an answer takes its time
                    ledger.ends(use, Ledger.End.ANSWERED);
                    if (fails) {
                      answer.completeExceptionally(new IOException("of the job"));
                    } else {
                      answer.complete("answer");
                    }
                  });
              return answer;
            });
    promised.add(call);
    if (random.nextInt(3) == 0) {
      pause(random);
      if (call.cancel(true)) {
        callsGivenUp.incrementAndGet();
      }
    }
  }

  private void await(CompletableFuture<Permit> future, Cost cost, Random random) {
    promised.add(future);
    long choice = random.nextLong();
    CompletableFuture<Void> used =
        future.thenAccept(
            permit -> {
              if (permit != NO_PERMIT) {
                use(permit, cost, new Random(choice));
              }
            });
    promised.add(used);
    switch (random.nextInt(6)) {
      case 0 -> {
        pause(random);
        future.cancel(true);
      }
      case 1 -> future.orTimeout(random.nextInt(3_000), TimeUnit.MICROSECONDS);
      case 2 -> {
        pause(random);
        future.complete(NO_PERMIT);
      }
      case 3 -> {
        pause(random);
        future.completeExceptionally(new CancellationException("from outside"));
      }
      default -> {}
    }
  }

  private void use(Permit permit, Cost cost, Random random) {
    Ledger.Use use = ledger.delivered(permit, cost);
    switch (random.nextInt(8)) {
      case 0, 1, 2 -> end(permit, use, Ledger.End.ANSWERED);
      case 3 -> {
        pause(random);
        end(permit, use, Ledger.End.ANSWERED);
      }
      case 4 -> elsewhere.add(() -> end(permit, use, Ledger.End.ANSWERED));
      case 5 -> end(permit, use, Ledger.End.UNUSED);
      case 6 -> end(permit, use, Ledger.End.LOST);
      default -> {
        elsewhere.add(() -> end(permit, use, Ledger.End.LOST));
        end(permit, use, Ledger.End.ANSWERED);
      }
    }
  }

  private void end(Permit permit, Ledger.Use use, Ledger.End how) {
    ledger.ends(use, how);
    switch (how) {
      case ANSWERED -> permit.answered();
      case UNUSED -> permit.notSent();
      case LOST -> permit.lost();
    }
  }

  /** Not at all, some turns, or really. */
  private static void pause(Random random) {
    int nanos = random.nextInt(200_000);
    if (nanos > 150_000) {
      LockSupport.parkNanos(nanos); // so that whatever goes on meets every stage of it
    } else {
      for (int i = 0; i < nanos / 1_000; i++) {
        Thread.onSpinWait();
      }
    }
  }

  // ---- the others

  /** Ends permits and answers jobs on behalf of others. */
  private void end() {
    try {
      while (!allEnded || !elsewhere.isEmpty()) {
        Runnable task = elsewhere.poll(10, TimeUnit.MILLISECONDS);
        if (task != null) {
          task.run();
        }
      }
    } catch (InterruptedException unexpected) {
      throw new AssertionError(unexpected);
    }
  }

  private void steer(Random random) {
    int changes = 0;
    while (!over) {
      LockSupport.parkNanos(200_000 + random.nextInt(2_000_000)); // often, but not all the time
      switch (random.nextInt(6)) {
        case 0 -> limiter.setLimit(++changes % 2 == 0 ? scenario.limit() : scenario.other());
        case 1 -> {
          limiter.pause();
          pause(random);
          limiter.resume();
        }
        case 2 -> limiter.pauseFor(tiny(random));
        case 3 -> limiter.resume();
        case 4 -> limiter.estimateWait(1);
        default -> limiter.snapshot();
      }
    }
    limiter.resume();
    limiter.setLimit(scenario.limit());
  }

  private void disturb(Random random) {
    while (!over) {
      LockSupport.parkNanos(random.nextInt(1_000_000)); // often, but not all the time
      if (!workers.isEmpty()) {
        workers.get(random.nextInt(scenario.platform())).interrupt();
        workers.get(random.nextInt(workers.size())).interrupt();
      }
    }
  }

  /** What a future is completed with from outside. */
  static final Permit NO_PERMIT =
      new Permit() {
        @Override
        public void answered() {}

        @Override
        public void notSent() {}

        @Override
        public void lost() {}

        @Override
        public void failed(Throwable failure) {}

        @Override
        public void close() {}

        @Override
        public Duration waited() {
          return Duration.ZERO;
        }

        @Override
        public long releasedAt() {
          throw new IllegalStateException("never released");
        }
      };
}
