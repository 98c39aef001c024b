package dev.pacegate.dispatch;

import static java.util.Objects.requireNonNull;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.Limiter;
import dev.pacegate.limit.Seeds;
import dev.pacegate.time.ManualTime;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Every task has one fate, whatever the executor underneath does: it runs once, or fails once, or
 * is cancelled, rejected or given back, and nothing is left. Pools refuse tasks at random, throw
 * errors, run tasks on their callers or late, and are shut down in the middle.
 */
class ExecutorFatesTest {

  private static final String[] LIMITS = {
    "unlimited",
    "concurrent(1)",
    "concurrent(3)",
    "20/1ms",
    "spacing(2ms)",
    "3/10ms & concurrent(2)",
    "peer(5/10ms)"
  };

  @Test
  void everyTaskHasOneFate() {
    Seeds.forEach(400, random -> new World(random, 60).run());
  }

  @Test
  void everyTaskOfManyHasOneFate() {
    Seeds.forEach(4, random -> new World(random, 5_000).run());
  }

  @Test
  @Tag("heavy")
  void everyTaskOfAHundredThousandHasOneFate() {
    Seeds.forEach(8, random -> new World(random, 100_000).run());
  }

  /** What becomes of one task. */
  private static final class Fate implements Runnable, Callable<Integer> {
    final int number;
    final List<Integer> order;
    int ran;
    int rejected;
    int givenBack;
    @Nullable Future<Integer> future;

    Fate(int number, List<Integer> order) {
      this.number = number;
      this.order = order;
    }

    int cancelledOrFailed() {
      Future<Integer> promised = future;
      if (promised == null || !promised.isDone()) {
        return 0;
      }
      try {
        return promised.get() == number ? 0 : 1;
      } catch (Exception failedOrCancelled) {
        return 1;
      }
    }

    int all() {
      return ran + rejected + givenBack + cancelledOrFailed();
    }

    @Override
    public void run() {
      ran++;
      order.add(number);
    }

    @Override
    public Integer call() {
      run();
      return number;
    }
  }

  private static final class World {
    private static final Pattern LOGGED = Pattern.compile("(\\d+) of them without a future");

    private final SplittableRandom random;
    private final ManualTime time = ManualTime.manual();
    private final Queue<Runnable> helpers = new ArrayDeque<>();
    private final Queue<Runnable> busy = new ArrayDeque<>();
    private final int inline; // of 10 tasks
    private final MoodyPool pool;
    private final Limiter limiter;
    private final ThrottledExecutorService executor;
    private final int tasks;
    private final List<Fate> fates = new ArrayList<>();
    private final List<Integer> order = new ArrayList<>(); // in which tasks ran
    private int refusals; // of 10 offers

    World(SplittableRandom random, int tasks) {
      this.random = random;
      this.tasks = tasks;
      this.inline = random.nextInt(3) * 5;
      this.pool = new MoodyPool(this::accept, time::nanoTime);
      this.limiter =
          Limiter.builder(LIMITS[random.nextInt(LIMITS.length)])
              .name("api")
              .time(time)
              .executor(Runnable::run)
              .build();
      this.executor = new ThrottledExecutorService(limiter, pool, tasks, helpers::add);
      pool.mood = this::refusal;
    }

    private void accept(Runnable task) {
      if (random.nextInt(10) < inline) {
        task.run();
      } else {
        busy.add(task);
      }
    }

    private @Nullable Throwable refusal() {
      if (random.nextInt(10) >= refusals) {
        return null;
      }
      return random.nextBoolean()
          ? new RejectedExecutionException("full")
          : new OutOfMemoryError("unable to create native thread");
    }

    void run() {
      try (var log = new DispatchLog()) {
        while (fates.size() < tasks) {
          step();
        }
        end();
        int logged = 0;
        for (String line : log.lines) {
          Matcher counted = LOGGED.matcher(line);
          logged += counted.find() ? Integer.parseInt(counted.group(1)) : 1;
        }
        check(logged);
      }
    }

    private void step() {
      switch (random.nextInt(12)) {
        case 0, 1, 2, 3 -> execute(new Fate(fates.size(), order));
        case 4, 5, 6 -> submit(new Fate(fates.size(), order));
        case 7 -> cancel(fates.isEmpty() ? null : fates.get(random.nextInt(fates.size())).future);
        case 8 -> refusals = random.nextInt(11);
        case 9 -> limiter.setLimit(LIMITS[random.nextInt(LIMITS.length)]);
        case 10 -> work(random.nextInt(4));
        default -> advance(random.nextInt(4));
      }
      if (random.nextInt(tasks * 6) == 0) {
        pool.shutdown();
      }
    }

    private void execute(Fate fate) {
      fates.add(fate);
      try {
        executor.execute(fate);
      } catch (RejectedExecutionException rejected) {
        fate.rejected++;
      }
    }

    private void submit(Fate fate) {
      fates.add(fate);
      try {
        fate.future = executor.submit((Callable<Integer>) fate);
      } catch (RejectedExecutionException rejected) {
        fate.rejected++;
      }
    }

    private static void cancel(@Nullable Future<?> future) {
      if (future != null) {
        future.cancel(false);
      }
    }

    private void advance(int millis) {
      for (int i = 0; i < millis; i++) {
        time.advance(Duration.ofMillis(1));
        work(random.nextInt(3));
      }
    }

    /** Helpers and threads do what there is to do: all of it, or only some. */
    private void work(int most) {
      for (Runnable next = helpers.poll(); next != null; next = helpers.poll()) {
        next.run();
      }
      for (int i = 0; i < most && !busy.isEmpty(); i++) {
        busy.remove().run();
      }
    }

    private void end() {
      if (random.nextInt(4) == 0) {
        limiter.close();
      }
      boolean atOnce = random.nextInt(4) == 0;
      if (atOnce) {
        giveBack(executor.shutdownNow());
      }
      executor.shutdown();
      refusals = random.nextInt(4) == 0 ? 10 : 0; // full for ever, or willing
      for (int i = 0; i < 200 || !executor.isTerminated(); i++) {
        time.advance(Duration.ofMillis(i < 100 ? 10 : 500));
        work(Integer.MAX_VALUE);
        assertTrue(i < 100_000, () -> "in vain: " + executor + " " + limiter.snapshot());
      }
    }

    private void giveBack(List<Runnable> never) {
      var known = new IdentityHashMap<Object, Fate>();
      fates.forEach(fate -> known.put(fate.future == null ? fate : fate.future, fate));
      never.forEach(task -> requireNonNull(known.get(task)).givenBack++);
    }

    private void check(int logged) {
      int none = 0;
      for (Fate fate : fates) {
        assertTrue(fate.all() <= 1, () -> "task " + fate.number + " has several fates");
        if (fate.all() == 0) {
          assertTrue(fate.future == null, () -> "task " + fate.number + " has none");
          none++;
        }
      }
      assertEquals(none, logged, "what is executed and not run is counted in the log");
      if (inline != 5) { // one thread runs them all
        assertEquals(order.stream().sorted().toList(), order);
      }
      assertEquals(0, executor.queued());
      Rig.assertIdle(limiter);
    }
  }
}
