package dev.pacegate.dispatch;

import dev.pacegate.thread.TimerThread;
import dev.pacegate.time.Durations;
import dev.pacegate.time.Time;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * Brings the tasks of a {@link ThrottledExecutorService} to the executor underneath when their turn
 * has come, in the order in which they were submitted. What it refuses is offered again after a
 * pause, and what comes later waits behind that. Thread-safe.
 */
/*
 * A task takes its permit on the thread that runs it. One that waits here has none: its place in the
 * limiter's queue holds up no other caller, as that of a task in the queue of a busy executor does.
 *
 * The thread that lets a task go offers it at once, unless it is a timer's: the executor may block it, or
 * run tasks on it. What the timer lets go, and what the executor refuses, begins a backlog, which ends
 * when nothing waits here any more. One helper at a time works it off in order, and fails it if the
 * executor is given up.
 */
final class Handoff {

  /** An executor that has accepted none of these tasks for so long is given up. */
  static final Duration LONGEST_REFUSAL = Duration.ofMinutes(1);

  private static final long SHORTEST_PAUSE_NANOS = 10_000_000;
  private static final long LONGEST_PAUSE_NANOS = 1_000_000_000;

  /** How many tasks may run inside each other, if the executor runs them on its caller. */
  private static final int DEEPEST = 8;

  private static final ThreadLocal<@Nullable Integer> DEPTH = new ThreadLocal<>();

  private final ThrottledExecutorService owner;
  private final Executor executor;
  private final Time time;
  private final Executor helpers;
  private final StepLock lock = new StepLock(); // the owner's may be taken inside

  // Guarded by the lock.
  private final ArrayDeque<Offer> waiting = new ArrayDeque<>();
  private volatile boolean backlogged; // changed under the lock
  private long acceptedAt; // for the last time, or when the backlog began
  private @Nullable Offer offered; // the first of those waiting
  private @Nullable Thread offerer; // by which it is offered

  Handoff(ThrottledExecutorService owner, Executor executor, Time time, Executor helpers) {
    this.owner = owner;
    this.executor = executor;
    this.time = time;
    this.helpers = helpers;
  }

  /** A place in the limiter's queue that is called, and the work that takes its permit. */
  private final class Offer implements Runnable {
    final QueuePlace place;
    final Runnable work;

    Offer(QueuePlace place, Runnable work) {
      this.place = place;
      this.work = work;
    }

    @Override
    public void run() {
      begins(this);
      try {
        work.run();
      } finally {
        place.isUnderneath(false); // it may have found no permit, and will be called again
      }
    }
  }

  // ---- without a backlog

  /** Offers a task that is being executed, unless others wait; returns why it is refused, if so. */
  @Nullable Throwable handOverNow(QueuePlace place, Runnable work) {
    var offer = new Offer(place, work);
    return waitsBehind(offer) ? null : refusal(offer);
  }

  /** Offers a task that was executed before: on this thread, if that may be done. */
  void handOver(QueuePlace place, Runnable work) {
    var offer = new Offer(place, work);
    if (waitsBehind(offer)) {
      return;
    }
    boolean here = !TimerThread.isHere() && depth() < DEEPEST;
    if (here && refusal(offer) == null) {
      return;
    }
    if (isFirst(offer) && (!here || isShutDown() || !goesOnLater())) {
      goOnElsewhere();
    }
  }

  /** Returns whether others wait; then this one does, too. */
  private boolean waitsBehind(Offer offer) {
    return backlogged && lock.locked(() -> backlogged && waiting.add(offer));
  }

  /** Makes a task wait; returns whether it is the first. */
  private boolean isFirst(Offer offer) {
    long now = time.nanoTime();
    return lock.locked(
        () -> {
          waiting.add(offer);
          if (backlogged) {
            return false;
          }
          backlogged = true;
          acceptedAt = now;
          return true;
        });
  }

  /** Offers a task to the executor; returns why it is refused, if it is. */
  private @Nullable Throwable refusal(Offer offer) {
    int depth = depth();
    DEPTH.set(depth + 1);
    offer.place.isUnderneath(true);
    try {
      if (isShutDown()) { // some executors then drop tasks without a word
        throw shutDown();
      }
      executor.execute(offer);
      return null;
    } catch (Throwable refused) {
      offer.place.isUnderneath(false);
      return refused;
    } finally {
      if (depth == 0) {
        DEPTH.remove();
      } else {
        DEPTH.set(depth);
      }
    }
  }

  private static int depth() {
    Integer depth = DEPTH.get();
    return depth == null ? 0 : depth;
  }

  /** Returns whether the executor says that it accepts nothing any more. */
  boolean isShutDown() {
    try {
      return executor instanceof ExecutorService service && service.isShutdown();
    } catch (Throwable unknown) {
      return false;
    }
  }

  static RejectedExecutionException shutDown() {
    return new RejectedExecutionException("the executor underneath has been shut down");
  }

  // ---- working off the backlog

  private void goOnElsewhere() {
    try {
      helpers.execute(this::offerAll);
    } catch (Throwable noThread) {
      if (!goesOnLater()) {
        offerAll();
      }
    }
  }

  /** Makes a helper offer the first after a pause; returns false if the timer fails. */
  private boolean goesOnLater() {
    try {
      long pause = Math.min(refusedFor() / 4, LONGEST_PAUSE_NANOS); // so it is at most 1/4 late
      time.at(time.nanoTime() + Math.max(pause, SHORTEST_PAUSE_NANOS), this::goOnElsewhere);
      return true;
    } catch (Throwable noTimer) {
      return false;
    }
  }

  private long refusedFor() {
    long now = time.nanoTime();
    return lock.locked(() -> now - acceptedAt);
  }

  /** Offers what waits, one after another, until one is refused. */
  private void offerAll() {
    for (Offer next = next(); next != null; next = next()) {
      Throwable refused = refusal(next);
      if (refused == null) {
        if (!isAccepted(next)) {
          return; // it has run on this thread, and another thread has gone on
        }
      } else if (!isOver(next, refused)) {
        return;
      }
    }
  }

  /** Returns the first that is still to run, unless another thread offers it. */
  private @Nullable Offer next() {
    return lock.locked(
        () -> {
          if (offered != null) {
            return null;
          }
          while (!waiting.isEmpty() && !owner.awaits(waiting.element().place)) {
            waiting.remove();
          }
          offered = waiting.peek();
          backlogged = offered != null;
          offerer = Thread.currentThread();
          return offered;
        });
  }

  /** Notes that the executor has accepted; returns whether the offer was still being made. */
  private boolean isAccepted(Offer offer) {
    long now = time.nanoTime();
    return lock.locked(
        () -> {
          if (offered != offer) {
            return false;
          }
          offered = null;
          waiting.remove();
          acceptedAt = now;
          return true;
        });
  }

  /** If a task begins on the thread that offers it, another goes on: the task may take long. */
  private void begins(Offer offer) {
    if (backlogged && isOfferedHere(offer) && isAccepted(offer)) {
      goOnElsewhere();
    }
  }

  private boolean isOfferedHere(Offer offer) {
    return lock.locked(() -> offered == offer && offerer == Thread.currentThread());
  }

  /** Lets all wait for a pause or, if the executor is given up, fail: returns true then. */
  private boolean isOver(Offer offer, Throwable refused) {
    if (!isWithdrawn(offer)) {
      return false; // it has run all the same
    }
    if (isShutDown()) {
      owner.failWaiting(shutDown());
      return true;
    }
    long refusedFor = refusedFor();
    if (refusedFor < LONGEST_REFUSAL.toNanos() && goesOnLater()) {
      return false;
    }
    owner.failWaiting(
        new RejectedExecutionException(
            "the executor underneath has refused all tasks for " + Durations.brief(refusedFor),
            refused));
    return true;
  }

  private boolean isWithdrawn(Offer offer) {
    return lock.locked(
        () -> {
          boolean mine = offered == offer;
          offered = mine ? null : offered;
          return mine;
        });
  }
}
