package dev.pacegate;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.IIIII_Result;

/** Threads that can go wake one another: none is forgotten, whatever befalls the others. */
public final class HandOverRace {

  private static final Duration LONG = Duration.ofSeconds(3);

  private HandOverRace() {}

  private static int acquire(Limiter limiter) {
    try {
      return limiter.tryAcquire(1, LONG).isPresent() ? 1 : 0;
    } catch (InterruptedException interrupted) {
      return 2;
    }
  }

  /** A thread and a future wait, and can go at once with a second thread; the first gives up. */
  @JCStressTest
  @Outcome(id = "1, 1, 1, 3, 0", expect = ACCEPTABLE, desc = "too late: all have a permit")
  @Outcome(id = "2, 1, 1, 2, 0", expect = ACCEPTABLE, desc = "interrupted: the others have one")
  @Outcome(expect = FORBIDDEN, desc = "one waits in vain, or a permit is lost")
  @State
  public static class Interrupt {
    private final Limiter limiter =
        Limiter.builder("concurrent(3)").executor(Runnable::run).build();
    private final CompletableFuture<Permit> future;
    private final Object lock = new Object();
    private Thread first; // while it may be interrupted

    public Interrupt() {
      limiter.pause();
      future = limiter.acquireAsync();
    }

    @Actor
    @SuppressWarnings("CheckReturnValue") // an interrupt may have come too late
    public void waits(IIIII_Result r) {
      setFirst(Thread.currentThread());
      r.r1 = acquire(limiter);
      setFirst(null);
      Thread.interrupted();
    }

    private void setFirst(Thread thread) {
      synchronized (lock) {
        first = thread;
      }
    }

    @Actor
    public void resumes(IIIII_Result r) {
      limiter.resume();
      synchronized (lock) {
        if (first != null) {
          first.interrupt();
        }
      }
      r.r2 = acquire(limiter);
    }

    @Arbiter
    public void after(IIIII_Result r) {
      r.r3 = future.isDone() ? 1 : 0;
      r.r4 = limiter.snapshot().open();
      r.r5 = limiter.snapshot().waiting();
    }
  }
}
