package dev.pacegate.waiting;

import dev.pacegate.Limiter;
import dev.pacegate.Permit;
import dev.pacegate.WaitTooLongException;
import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** Those who ask in a test, threads and futures alike, and ways to wait for what they do. */
public final class Crew {

  /** Far longer than anything here takes; reached only by what is stuck. */
  public static final Duration PATIENCE = Duration.ofSeconds(60);

  private Crew() {}

  /** Who asks: a thread that blocks, or a future. */
  public enum Kind {
    THREAD,
    FUTURE;

    /** Asks for a permit and returns without waiting for it. */
    public Place ask(Limiter limiter, long cost) {
      return ask(limiter, cost, PATIENCE);
    }

    /** Asks for a permit for up to {@code maxWait} of the limiter's time. */
    public Place ask(Limiter limiter, long cost, Duration maxWait) {
      if (this == FUTURE) {
        return new Place(limiter.acquireAsync(cost, maxWait), null);
      }
      var result = new CompletableFuture<Permit>();
      Runnable asking =
          () -> {
            try {
              result.complete(
                  limiter
                      .tryAcquire(cost, maxWait)
                      .orElseThrow(() -> new WaitTooLongException("", "", Duration.ZERO)));
            } catch (Throwable failure) {
              result.completeExceptionally(failure);
            }
          };
      return new Place(result, start("asking", asking));
    }
  }

  /** A place in the queue, and what becomes of it. */
  public record Place(CompletableFuture<Permit> result, @Nullable Thread thread) {

    /** Waits for the permit. */
    public Permit permit() {
      try {
        return result.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
      } catch (Exception failure) {
        throw new AssertionError("no permit", failure);
      }
    }

    /** Waits for the failure. */
    public Throwable failure() {
      try {
        result.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
      } catch (TimeoutException stuck) {
        throw new AssertionError("neither a permit nor a failure", stuck);
      } catch (CancellationException cancelled) {
        return cancelled;
      } catch (Exception failure) {
        Throwable cause = failure.getCause();
        return cause == null ? failure : cause;
      }
      throw new AssertionError("a permit where a failure was expected");
    }

    /** Interrupts the thread, or cancels the future. */
    public void giveUp() {
      if (thread == null) {
        result.cancel(true);
      } else {
        thread.interrupt();
      }
    }
  }

  /** Takes a permit that must be there. */
  public static Permit spend(Limiter limiter) {
    return limiter.tryAcquire().orElseThrow();
  }

  /** Starts a daemon thread. */
  public static Thread start(String name, Runnable work) {
    var thread = new Thread(work, name);
    thread.setDaemon(true);
    thread.start();
    return thread;
  }

  /** Waits until so many wait in the queue. */
  public static void awaitWaiting(Limiter limiter, int waiting) {
    await(waiting + " waiting", () -> limiter.snapshot().waiting() == waiting);
  }

  /** Waits until something has come true, by looking again and again. */
  @SuppressWarnings("ThreadPriorityCheck") // lets those run who are to make it true
  public static void await(String what, BooleanSupplier condition) {
    long began = System.nanoTime();
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() - began > PATIENCE.toNanos()) {
        throw new AssertionError("in vain: " + what);
      }
      Thread.yield();
    }
  }

  /** Waits for the end of a thread. */
  public static void join(Thread thread) {
    try {
      thread.join(PATIENCE.toMillis());
    } catch (InterruptedException interrupted) {
      throw new CompletionException(interrupted);
    }
    if (thread.isAlive()) {
      var stuck = new AssertionError(thread.getName() + " is stuck");
      stuck.setStackTrace(thread.getStackTrace());
      throw stuck;
    }
  }
}
