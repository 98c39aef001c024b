package dev.pacegate.dispatch;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import dev.pacegate.Limiter;
import dev.pacegate.Permit;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.IIII_Result;

/** A task runs, or is given back, or rejected; no permit stays open. */
public final class ExecutorRace {

  private ExecutorRace() {}

  /** An executor that runs tasks on whichever thread is there. */
  private abstract static class Rig {
    final Limiter limiter;
    final ThrottledExecutorService executor;
    final AtomicInteger ran = new AtomicInteger();

    Rig() {
      this("concurrent(1)");
    }

    Rig(String limit) {
      limiter = Limiter.builder(limit).executor(Runnable::run).build();
      executor = ThrottledExecutorService.of(limiter, Runnable::run);
    }

    final int inUse() {
      return limiter.snapshot().open() + limiter.snapshot().waiting() + executor.queued();
    }
  }

  /** The executor is shut down as a task is executed. */
  @JCStressTest
  @Outcome(id = "1, 1, 0, 0", expect = ACCEPTABLE, desc = "ran")
  @Outcome(id = "1, 0, 1, 0", expect = ACCEPTABLE, desc = "given back")
  @Outcome(id = "2, 0, 0, 0", expect = ACCEPTABLE, desc = "rejected")
  @Outcome(expect = FORBIDDEN, desc = "two fates, none, not terminated, or something left in use")
  @State
  public static class ShutdownAgainstExecute extends Rig {
    private int given;

    @Actor
    public void executes(IIII_Result r) {
      try {
        executor.execute(ran::incrementAndGet);
        r.r1 = 1;
      } catch (RejectedExecutionException shutDown) {
        r.r1 = 2;
      }
    }

    @Actor
    public void shutsDown() {
      given = executor.shutdownNow().size();
    }

    @Arbiter
    public void after(IIII_Result r) {
      r.r2 = ran.get();
      r.r3 = given;
      r.r4 = inUse() + (executor.isTerminated() ? 0 : 10);
    }
  }

  /** The executor is shut down as the permit of a task comes. */
  @JCStressTest
  @Outcome(id = "1, 0, 0, 1", expect = ACCEPTABLE, desc = "ran")
  @Outcome(id = "0, 1, 0, 1", expect = ACCEPTABLE, desc = "given back")
  @Outcome(expect = FORBIDDEN, desc = "two fates, none, not terminated, or something left in use")
  @State
  public static class ShutdownAgainstStart extends Rig {
    private final Permit held = limiter.tryAcquire().orElseThrow();
    private int given;

    {
      executor.execute(ran::incrementAndGet);
    }

    @Actor
    public void ends() {
      held.answered();
    }

    @Actor
    public void shutsDown() {
      given = executor.shutdownNow().size();
    }

    @Arbiter
    public void after(IIII_Result r) {
      r.r1 = ran.get();
      r.r2 = given;
      r.r3 = inUse();
      r.r4 = executor.isTerminated() ? 1 : 0;
    }
  }

  /** A task is cancelled as its permit comes. One that runs may be cancelled, too. */
  @JCStressTest
  @Outcome(id = "0, 1, 0, 1", expect = ACCEPTABLE, desc = "too late, it ran")
  @Outcome(id = "1, 0, 0, 1", expect = ACCEPTABLE, desc = "cancelled before it ran")
  @Outcome(id = "1, 1, 0, 1", expect = ACCEPTABLE, desc = "cancelled while it ran")
  @Outcome(expect = FORBIDDEN, desc = "neither, not terminated, or something left in use")
  @State
  public static class CancelAgainstStart extends Rig {
    private final Permit held = limiter.tryAcquire().orElseThrow();
    private final Future<?> future = executor.submit(ran::incrementAndGet);

    {
      executor.shutdown();
    }

    @Actor
    public void ends() {
      held.answered();
    }

    @Actor
    public void cancels(IIII_Result r) {
      r.r1 = future.cancel(false) ? 1 : 0;
    }

    @Arbiter
    public void after(IIII_Result r) {
      r.r2 = ran.get();
      r.r3 = inUse();
      r.r4 = executor.isTerminated() ? 1 : 0;
    }
  }

  /** Two tasks start at once, each at whichever place is served; the first may be cancelled. */
  @JCStressTest
  @Outcome(id = "0, 11, 0, 1", expect = ACCEPTABLE, desc = "too late, both ran")
  @Outcome(id = "1, 10, 0, 1", expect = ACCEPTABLE, desc = "cancelled before it ran")
  @Outcome(id = "1, 11, 0, 1", expect = ACCEPTABLE, desc = "cancelled while it ran")
  @Outcome(expect = FORBIDDEN, desc = "the other did not run, or something is left in use")
  @State
  public static class CancelAgainstTwoStarts extends Rig {
    private final Permit one = limiter.tryAcquire().orElseThrow();
    private final Permit other = limiter.tryAcquire().orElseThrow();
    private final Future<?> first = executor.submit(() -> ran.addAndGet(1));

    public CancelAgainstTwoStarts() {
      super("concurrent(2)");
      executor.execute(() -> ran.addAndGet(10));
      executor.shutdown();
    }

    @Actor
    public void endsOne() {
      one.answered();
    }

    @Actor
    public void endsTheOtherAndCancels(IIII_Result r) {
      other.answered();
      r.r1 = first.cancel(false) ? 1 : 0;
    }

    @Arbiter
    public void after(IIII_Result r) {
      r.r2 = ran.get();
      r.r3 = inUse();
      r.r4 = executor.isTerminated() ? 1 : 0;
    }
  }
}
