package dev.pacegate;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Mode;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.Signal;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;
import org.openjdk.jcstress.infra.results.II_Result;

/** A permit is given to one and ends once. */
public final class PermitRace {

  private PermitRace() {}

  private static int free(Limiter limiter) {
    int free = 0;
    while (limiter.tryAcquire().isPresent()) {
      free++;
    }
    return free;
  }

  /** Two end the same permit; another one stays open. */
  @JCStressTest
  @Outcome(id = "1, 1", expect = ACCEPTABLE, desc = "ended once")
  @Outcome(expect = FORBIDDEN, desc = "ended twice, or not at all")
  @State
  public static class CloseTwice {
    private final Limiter limiter = Limiter.of("concurrent(2)");
    private final Permit permit = limiter.tryAcquire().orElseThrow();
    private final Permit other = limiter.tryAcquire().orElseThrow();

    @Actor
    public void one() {
      permit.answered();
    }

    @Actor
    public void two() {
      permit.answered();
    }

    @Arbiter
    public void after(II_Result r) {
      r.r1 = limiter.snapshot().open();
      r.r2 = free(limiter);
    }
  }

  /** One has the answer, the other has given up. */
  @JCStressTest
  @Outcome(id = "1, 1", expect = ACCEPTABLE, desc = "ended once, either way")
  @Outcome(expect = FORBIDDEN, desc = "ended twice, or not at all")
  @State
  public static class CloseAndLose {
    private final Limiter limiter = Limiter.of("concurrent(2)");
    private final Permit permit = limiter.tryAcquire().orElseThrow();
    private final Permit other = limiter.tryAcquire().orElseThrow();

    @Actor
    public void one() {
      permit.answered();
    }

    @Actor
    public void two() {
      permit.lost();
    }

    @Arbiter
    public void after(II_Result r) {
      r.r1 = limiter.snapshot().open();
      r.r2 = free(limiter);
    }
  }

  /** Only who was first says whether it stays spent. */
  @JCStressTest
  @Outcome(id = "0, 0", expect = ACCEPTABLE, desc = "answered: spent for an interval")
  @Outcome(id = "0, 1", expect = ACCEPTABLE, desc = "unused: given back")
  @Outcome(expect = FORBIDDEN, desc = "ended twice, or not at all")
  @State
  public static class CloseAndRefund {
    private final Limiter limiter = Limiter.of("peer(1/1h)");
    private final Permit permit = limiter.tryAcquire().orElseThrow();

    @Actor
    public void one() {
      permit.answered();
    }

    @Actor
    public void two() {
      permit.notSent();
    }

    @Arbiter
    public void after(II_Result r) {
      r.r1 = limiter.snapshot().open();
      r.r2 = free(limiter);
    }
  }

  /** Two try for one permit. */
  @JCStressTest
  @Outcome(
      id = {"1, 0, 1", "0, 1, 1"},
      expect = ACCEPTABLE,
      desc = "one has it")
  @Outcome(expect = FORBIDDEN, desc = "both, or none")
  @State
  public static class TryForTheLast {
    private final Limiter limiter = Limiter.of("concurrent(1) & 1/1h");

    @Actor
    public void one(III_Result r) {
      r.r1 = limiter.tryAcquire().isPresent() ? 1 : 0;
    }

    @Actor
    public void two(III_Result r) {
      r.r2 = limiter.tryAcquire().isPresent() ? 1 : 0;
    }

    @Arbiter
    public void after(III_Result r) {
      r.r3 = (int) limiter.snapshot().granted();
    }
  }

  /** One ends the only permit while the other tries. */
  @JCStressTest
  @Outcome(
      id = {"1, 1", "0, 0"},
      expect = ACCEPTABLE,
      desc = "before or after")
  @Outcome(expect = FORBIDDEN, desc = "lost or made up")
  @State
  public static class CloseAndTry {
    private final Limiter limiter = Limiter.of("concurrent(1)");
    private final Permit held = limiter.tryAcquire().orElseThrow();

    @Actor
    public void one() {
      held.answered();
    }

    @Actor
    public void two(II_Result r) {
      r.r1 = limiter.tryAcquire().isPresent() ? 1 : 0;
    }

    @Arbiter
    public void after(II_Result r) {
      r.r2 = limiter.snapshot().open();
    }
  }

  /** One waits, one ends the permit: the wake-up is never lost. */
  @JCStressTest(Mode.Termination)
  @Outcome(id = "TERMINATED", expect = ACCEPTABLE, desc = "woken")
  @Outcome(id = "STALE", expect = FORBIDDEN, desc = "asleep for ever")
  @State
  public static class WakeUp {
    private final Limiter limiter = Limiter.of("concurrent(1)");
    private final Permit held = limiter.tryAcquire().orElseThrow();

    @Actor
    public void waits() throws InterruptedException {
      limiter.acquire().answered();
    }

    @Signal
    public void ends() {
      held.answered();
    }
  }
}
