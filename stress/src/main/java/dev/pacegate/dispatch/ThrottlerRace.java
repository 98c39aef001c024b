package dev.pacegate.dispatch;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import dev.pacegate.Limiter;
import dev.pacegate.Permit;
import java.util.concurrent.atomic.AtomicInteger;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.IIII_Result;
import org.openjdk.jcstress.infra.results.III_Result;

/** A message has one fate, and no permit stays open. */
public final class ThrottlerRace {

  private ThrottlerRace() {}

  /** A throttler that delivers on whichever thread is there. */
  private abstract static class Rig {
    final Limiter limiter = Limiter.builder("concurrent(1)").executor(Runnable::run).build();
    final Throttler<String> throttler =
        Throttler.<String>builder(limiter).executor(Runnable::run).build();
    final AtomicInteger delivered = new AtomicInteger();

    final int send() {
      try {
        throttler.send("message");
        return 1;
      } catch (IllegalStateException | InterruptedException closed) {
        return 2;
      }
    }

    final int inUse() {
      return limiter.snapshot().open() + limiter.snapshot().waiting();
    }
  }

  /** The throttler is closed as a message is sent. */
  @JCStressTest
  @Outcome(id = "1, 1, 0, 0", expect = ACCEPTABLE, desc = "delivered")
  @Outcome(id = "1, 0, 1, 0", expect = ACCEPTABLE, desc = "queued, and given back")
  @Outcome(id = "2, 0, 0, 0", expect = ACCEPTABLE, desc = "turned away")
  @Outcome(expect = FORBIDDEN, desc = "lost, doubled, or something is left in use")
  @State
  public static class CloseAgainstSend extends Rig {
    {
      throttler.target(message -> delivered.incrementAndGet());
    }

    @Actor
    public void sends(IIII_Result r) {
      r.r1 = send();
    }

    @Actor
    public void closes() {
      throttler.close();
    }

    @Arbiter
    public void after(IIII_Result r) {
      r.r2 = delivered.get();
      r.r3 = throttler.undelivered().size();
      r.r4 = inUse();
    }
  }

  /** The target is taken away as the permit comes. */
  @JCStressTest
  @Outcome(id = "1, 0, 0", expect = ACCEPTABLE, desc = "delivered")
  @Outcome(id = "0, 1, 0", expect = ACCEPTABLE, desc = "still queued")
  @Outcome(expect = FORBIDDEN, desc = "lost, doubled, or something is left in use")
  @State
  public static class NoTargetAgainstDelivery extends Rig {
    private final Permit held = limiter.tryAcquire().orElseThrow();

    {
      throttler.target(message -> delivered.incrementAndGet());
      send();
    }

    @Actor
    public void ends() {
      held.answered();
    }

    @Actor
    public void takesAway() {
      throttler.target(null);
    }

    @Arbiter
    public void after(III_Result r) {
      r.r1 = delivered.get();
      r.r2 = throttler.queued();
      r.r3 = inUse();
    }
  }

  /** The target is taken away and set again as the permit comes: two turns, one delivery. */
  @JCStressTest
  @Outcome(id = "1, 0, 0", expect = ACCEPTABLE, desc = "delivered")
  @Outcome(expect = FORBIDDEN, desc = "lost, doubled, forgotten, or something is left in use")
  @State
  public static class AnotherTurnAgainstDelivery extends Rig {
    private final Permit held = limiter.tryAcquire().orElseThrow();

    {
      throttler.target(message -> delivered.incrementAndGet());
      send();
    }

    @Actor
    public void ends() {
      held.answered();
    }

    @Actor
    public void exchanges() {
      throttler.target(null);
      throttler.target(message -> delivered.incrementAndGet());
    }

    @Arbiter
    public void after(III_Result r) {
      r.r1 = delivered.get();
      r.r2 = throttler.queued();
      r.r3 = inUse();
    }
  }

  /** Two set a target at once: the message goes to one of them. */
  @JCStressTest
  @Outcome(id = "1, 0, 0", expect = ACCEPTABLE, desc = "to the first")
  @Outcome(id = "0, 1, 0", expect = ACCEPTABLE, desc = "to the other")
  @Outcome(expect = FORBIDDEN, desc = "to none, to both, or something is left in use")
  @State
  public static class TargetAgainstTarget extends Rig {
    private final AtomicInteger other = new AtomicInteger();

    {
      send();
    }

    @Actor
    public void sets() {
      throttler.target(message -> delivered.incrementAndGet());
    }

    @Actor
    public void setsAnother() {
      throttler.target(message -> other.incrementAndGet());
    }

    @Arbiter
    public void after(III_Result r) {
      r.r1 = delivered.get();
      r.r2 = other.get();
      r.r3 = throttler.queued() + inUse();
    }
  }
}
