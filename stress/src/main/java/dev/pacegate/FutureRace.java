package dev.pacegate;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.IIII_Result;
import org.openjdk.jcstress.infra.results.III_Result;
import org.openjdk.jcstress.infra.results.II_Result;

/**
 * A future has its permit, or has given up its place: never is a permit charged and not delivered.
 */
public final class FutureRace {

  private static final int PENDING = 0;
  private static final int PERMIT = 1;
  private static final int FAILED = 2;

  private FutureRace() {}

  private static Limiter limiter() {
    return Limiter.builder("concurrent(1)").executor(Runnable::run).build();
  }

  private static int fate(CompletableFuture<Permit> future) {
    if (!future.isDone()) {
      return PENDING;
    }
    return future.isCompletedExceptionally() ? FAILED : PERMIT;
  }

  /** The permit comes while the future is cancelled. Who wins is open, but both agree on it. */
  @JCStressTest
  @Outcome(id = "1, 2, 0, 1", expect = ACCEPTABLE, desc = "cancelled, nothing charged")
  @Outcome(id = "0, 1, 1, 0", expect = ACCEPTABLE, desc = "too late, the future has the permit")
  @Outcome(expect = FORBIDDEN, desc = "charged and not delivered, or delivered and not charged")
  @State
  public static class Cancel {
    private final Limiter limiter = limiter();
    private final Permit held = limiter.tryAcquire().orElseThrow();
    private final CompletableFuture<Permit> future = limiter.acquireAsync();

    @Actor
    public void ends() {
      held.answered();
    }

    @Actor
    public void cancels(IIII_Result r) {
      r.r1 = future.cancel(true) ? 1 : 0;
    }

    @Arbiter
    public void after(IIII_Result r) {
      r.r2 = fate(future);
      r.r3 = limiter.snapshot().open();
      r.r4 = limiter.tryAcquire().isPresent() ? 1 : 0;
    }
  }

  /** As a timeout of the future itself does. */
  @JCStressTest
  @Outcome(id = "1, 2, 0, 1", expect = ACCEPTABLE, desc = "failed, nothing charged")
  @Outcome(id = "0, 1, 1, 0", expect = ACCEPTABLE, desc = "too late, the future has the permit")
  @Outcome(expect = FORBIDDEN, desc = "charged and not delivered, or delivered and not charged")
  @State
  public static class Fail {
    private final Limiter limiter = limiter();
    private final Permit held = limiter.tryAcquire().orElseThrow();
    private final CompletableFuture<Permit> future = limiter.acquireAsync();

    @Actor
    public void ends() {
      held.answered();
    }

    @Actor
    public void fails(IIII_Result r) {
      r.r1 = future.completeExceptionally(new IllegalStateException()) ? 1 : 0;
    }

    @Arbiter
    public void after(IIII_Result r) {
      r.r2 = fate(future);
      r.r3 = limiter.snapshot().open();
      r.r4 = limiter.tryAcquire().isPresent() ? 1 : 0;
    }
  }

  /** The head is cancelled as the permit comes: one of both has it, the other does not. */
  @JCStressTest
  @Outcome(id = "2, 1, 1", expect = ACCEPTABLE, desc = "the head is gone, the next has the permit")
  @Outcome(id = "1, 0, 1", expect = ACCEPTABLE, desc = "the head has the permit, the next waits")
  @Outcome(expect = FORBIDDEN, desc = "both, or none")
  @State
  public static class CancelTheHead {
    private final Limiter limiter = limiter();
    private final Permit held = limiter.tryAcquire().orElseThrow();
    private final CompletableFuture<Permit> head = limiter.acquireAsync();
    private final CompletableFuture<Permit> next = limiter.acquireAsync();

    @Actor
    public void ends() {
      held.answered();
    }

    @Actor
    public void cancels() {
      head.cancel(true);
    }

    @Arbiter
    public void after(III_Result r) {
      r.r1 = fate(head);
      r.r2 = fate(next);
      r.r3 = limiter.snapshot().open();
      limiter.close(); // the timer would keep it as long as the next waits
    }
  }

  /** Both are cancelled together as the permit comes: the next does not get it. */
  @JCStressTest
  @Outcome(
      id = {"2, 2, 0", "1, 2, 1"},
      expect = ACCEPTABLE,
      desc = "none has it, or the head")
  @Outcome(expect = FORBIDDEN, desc = "the next has it, or charged and not delivered")
  @State
  public static class CancelAll {
    private final Limiter limiter = limiter();
    private final Permit held = limiter.tryAcquire().orElseThrow();
    private final CompletableFuture<Permit> head = limiter.acquireAsync();
    private final CompletableFuture<Permit> next = limiter.acquireAsync();

    @Actor
    public void ends() {
      held.answered();
    }

    @Actor
    public void cancels() {
      limiter.cancelAll(List.of(head, next));
    }

    @Arbiter
    public void after(III_Result r) {
      r.r1 = fate(head);
      r.r2 = fate(next);
      r.r3 = limiter.snapshot().open() + 10 * limiter.snapshot().waiting();
    }
  }

  /** Both are cancelled as the permit comes: it goes to one of them, or to none. */
  @JCStressTest
  @Outcome(
      id = {"2, 2, 0", "1, 2, 1", "2, 1, 1"},
      expect = ACCEPTABLE,
      desc = "at most one has it")
  @Outcome(expect = FORBIDDEN, desc = "both, or charged and not delivered")
  @State
  public static class CancelBoth {
    private final Limiter limiter = limiter();
    private final Permit held = limiter.tryAcquire().orElseThrow();
    private final CompletableFuture<Permit> head = limiter.acquireAsync();
    private final CompletableFuture<Permit> next = limiter.acquireAsync();

    @Actor
    public void ends() {
      held.answered();
    }

    @Actor
    public void cancels() {
      head.cancel(true);
      next.cancel(true);
    }

    @Arbiter
    public void after(III_Result r) {
      r.r1 = fate(head);
      r.r2 = fate(next);
      r.r3 = limiter.snapshot().open();
    }
  }

  /** The limiter is closed as a caller asks for a permit that is there. */
  @JCStressTest
  @Outcome(id = "1, 1", expect = ACCEPTABLE, desc = "before: it has the permit")
  @Outcome(id = "2, 0", expect = ACCEPTABLE, desc = "after: turned away")
  @Outcome(expect = FORBIDDEN, desc = "left waiting, or charged and not delivered")
  @State
  public static class CloseTheLimiter {
    private final Limiter limiter = limiter();
    private CompletableFuture<Permit> future;

    @Actor
    public void closes() {
      limiter.close();
    }

    @Actor
    public void asks() {
      future = limiter.acquireAsync();
    }

    @Arbiter
    public void after(II_Result r) {
      r.r1 = fate(future);
      r.r2 = limiter.snapshot().open();
    }
  }

  /** The limiter is closed as a future joins the queue: it must not be left there. */
  @JCStressTest
  @Outcome(id = "2, 0", expect = ACCEPTABLE, desc = "refused, in the queue or before it")
  @Outcome(expect = FORBIDDEN, desc = "left waiting")
  @State
  public static class CloseTheLine {
    private final Limiter limiter = limiter();
    private final Permit held = limiter.tryAcquire().orElseThrow();
    private CompletableFuture<Permit> future;

    @Actor
    public void closes() {
      limiter.close();
    }

    @Actor
    public void asks() {
      future = limiter.acquireAsync();
    }

    @Arbiter
    public void after(II_Result r) {
      r.r1 = fate(future);
      r.r2 = limiter.snapshot().waiting();
    }
  }

  /** A call is cancelled as its permit comes: the job runs and is cancelled, or does not run. */
  @JCStressTest
  @Outcome(id = "1, 0, 1", expect = ACCEPTABLE, desc = "cancelled, and the permit has ended")
  @Outcome(expect = FORBIDDEN, desc = "the permit stays open")
  @State
  public static class CancelACall {
    private final Limiter limiter = limiter();
    private final Permit held = limiter.tryAcquire().orElseThrow();
    private final CompletableFuture<String> call = limiter.callAsync(CompletableFuture::new);

    @Actor
    public void ends() {
      held.answered();
    }

    @Actor
    public void cancels() {
      call.cancel(true);
    }

    @Arbiter
    public void after(III_Result r) {
      r.r1 = call.isCancelled() ? 1 : 0;
      r.r2 = limiter.snapshot().open();
      r.r3 = limiter.tryAcquire().isPresent() ? 1 : 0;
    }
  }
}
