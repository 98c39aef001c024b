package dev.pacegate;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import dev.pacegate.time.Timer.Scheduled;
import dev.pacegate.time.WheelTimer;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;
import org.openjdk.jcstress.infra.results.II_Result;

/**
 * A task of a timer runs once, or is cancelled, returned or refused: one of these, and none is
 * lost. The timer's own thread is one of those that race.
 */
public final class TimerRace {

  private static final long HOUR = 3_600_000_000_000L;
  private static final long LOST = 3_000_000_000L; // a task that has not run by then

  private TimerRace() {}

  /** Counts how often it runs. */
  static class Task implements Runnable {
    final AtomicInteger runs = new AtomicInteger();

    @Override
    public void run() {
      runs.getAndIncrement();
    }

    /** Returns how often it has run, once it has run at all or is lost. */
    int await() {
      long begin = System.nanoTime();
      while (runs.get() == 0 && System.nanoTime() - begin < LOST) {
        Thread.onSpinWait();
      }
      return runs.get();
    }
  }

  private static void spinFor(long nanos) {
    long begin = System.nanoTime();
    while (System.nanoTime() - begin < nanos) {
      Thread.onSpinWait();
    }
  }

  private static long upTo(long nanos) {
    return ThreadLocalRandom.current().nextLong(nanos);
  }

  /** A due task is cancelled about when the timer's thread comes for it. */
  @JCStressTest
  @Outcome(id = "1, 0", expect = ACCEPTABLE, desc = "cancelled, never run")
  @Outcome(id = "0, 1", expect = ACCEPTABLE, desc = "too late, run once")
  @Outcome(expect = FORBIDDEN, desc = "both, neither, or twice")
  @State
  public static class Cancel {
    private static final WheelTimer TIMER = new WheelTimer("cancel-race");
    private final Task task = new Task();

    @Actor
    public void cancels(II_Result r) {
      Scheduled scheduled = TIMER.at(System.nanoTime(), task);
      spinFor(upTo(2_000));
      r.r1 = scheduled.cancel() ? 1 : 0;
    }

    @Actor
    public void keepsTheThreadAwake() {
      for (int i = 0; i < 5; i++) {
        TIMER.at(System.nanoTime(), () -> spinFor(upTo(1_000)));
      }
    }

    @Arbiter
    public void after(II_Result r) {
      if (r.r1 == 0) {
        r.r2 = task.await();
      } else {
        var later = new Task();
        TIMER.at(System.nanoTime(), later);
        later.await();
        r.r2 = task.runs.get();
      }
    }
  }

  /** A timer is closed about when a task is scheduled and due. */
  @JCStressTest
  @Outcome(id = "0, 0, 1", expect = ACCEPTABLE, desc = "run")
  @Outcome(id = "0, 1, 0", expect = ACCEPTABLE, desc = "returned")
  @Outcome(id = "1, 0, 0", expect = ACCEPTABLE, desc = "refused")
  @Outcome(expect = FORBIDDEN, desc = "lost, or more than one of these")
  @State
  public static class Close {
    private final WheelTimer timer = new WheelTimer("close-race");
    private final Task task = new Task();
    private final Task first = new Task();

    @Actor
    public void schedules(III_Result r) {
      try {
        timer.at(System.nanoTime(), first); // starts the thread
        spinFor(upTo(50_000));
        timer.at(System.nanoTime(), task);
      } catch (RejectedExecutionException closed) {
        r.r1 = 1;
      }
    }

    @Actor
    public void closes(III_Result r) {
      spinFor(upTo(100_000));
      List<Runnable> never = timer.shutdownNow();
      r.r2 = never.contains(task) ? 1 : 0;
    }

    @Arbiter
    public void after(III_Result r) {
      r.r3 = r.r1 + r.r2 > 0 ? task.runs.get() : task.await();
    }
  }

  /** A task comes about when the thread falls asleep until another that is due much later. */
  @JCStressTest
  @Outcome(id = "1, 1", expect = ACCEPTABLE, desc = "both run")
  @Outcome(expect = FORBIDDEN, desc = "one is lost, or runs twice")
  @State
  public static class FallingAsleep {
    private static final WheelTimer TIMER = new WheelTimer("sleep-race");

    static {
      TIMER.at(System.nanoTime() + HOUR, () -> {});
    }

    private final Task one = new Task();
    private final Task two = new Task();

    @Actor
    public void first() {
      TIMER.at(System.nanoTime(), one);
    }

    @Actor
    public void second() {
      spinFor(upTo(120_000));
      TIMER.at(System.nanoTime(), two);
    }

    @Arbiter
    public void after(II_Result r) {
      r.r1 = one.await();
      r.r2 = two.await();
    }
  }
}
