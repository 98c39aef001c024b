package dev.pacegate.dispatch;

import static java.util.concurrent.TimeUnit.MILLISECONDS;

import dev.pacegate.Limiter;
import dev.pacegate.LimiterClosedException;
import dev.pacegate.Permit;
import dev.pacegate.RefusedException;
import dev.pacegate.WaitQueueFullException;
import dev.pacegate.dispatch.Outbox.Delivery;
import dev.pacegate.limit.Cost;
import dev.pacegate.result.JobResult;
import dev.pacegate.result.StageEnd;
import dev.pacegate.thread.HelperThreads;
import dev.pacegate.thread.TimerThread;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** Takes messages from an {@link Outbox} as a limiter allows, and passes them to the target. */
/*
 * There is at most one turn at a time: a place in the limiter's queue for the first message, and then
 * the delivery of that message and of those after it that may go at once. After each change of what
 * there is to deliver, `arrange` makes sure that there is a turn exactly if one is needed. A turn that
 * has not begun is cancelled when it is not needed any more; if its permit comes all the same, the
 * permit ends as not sent.
 *
 * An executor that runs tasks on the caller's thread makes `arrange` call `deliver`. To prevent endless
 * recursion, a turn that ends on the thread that is still arranging it leaves the rest to `arrange`.
 */
final class DeliveryLoop<T> {

  /** The most messages in one turn, so that other tasks get the thread of an executor given. */
  private static final int MOST_IN_A_TURN = 100;

  /** How long to wait for room in a full queue: a limiter does not report when there is room. */
  private static final long LINE_FULL_MILLIS = 10;

  /** The threads that deliver by default, or if the executor given rejects the task. */
  static final Executor DEFAULT_EXECUTOR = HelperThreads::execute;

  private static final class Turn {
    volatile Cost cost; // changed by the deliverer alone
    volatile @Nullable Thread deliverer; // once it has begun
    volatile boolean deserted; // an error came between: it may have no place in the queue
    @Nullable Thread arranger; // while it joins the queue; this and what follows under the lock
    @Nullable CompletableFuture<Permit> place;

    Turn(Cost cost, Thread arranger) {
      this.cost = cost;
      this.arranger = arranger;
    }
  }

  private final Limiter limiter;
  private final Executor executor;
  private final Outbox<T> outbox;
  private final BiConsumer<? super T, Throwable> onFailure;
  private final int mostInATurn;

  private final StepLock lock = new StepLock(); // may be held when the outbox is asked
  private volatile @Nullable Turn turn; // changed under the lock

  DeliveryLoop(
      Limiter limiter,
      Executor executor,
      Outbox<T> outbox,
      BiConsumer<? super T, Throwable> onFailure) {
    this.limiter = limiter;
    this.executor = executor;
    this.outbox = outbox;
    this.onFailure = onFailure;
    this.mostInATurn = executor == DEFAULT_EXECUTOR ? Integer.MAX_VALUE : MOST_IN_A_TURN;
  }

  /** Returns whether this thread is the one that delivers. */
  boolean isHere() {
    Turn now = turn;
    return now != null && now.deliverer == Thread.currentThread();
  }

  // ---- turns

  /** Makes sure that there is a place in the limiter's queue exactly if one is needed. */
  void arrange() {
    Turn now = turn;
    if (now != null && now.deliverer != null) {
      return; // it looks again when it ends
    }
    for (Turn next = rearrange(); next != null; next = rearrange()) {
      boolean joined = false;
      try {
        join(next);
        joined = true;
      } finally {
        if (!joined) {
          next.deserted = true; // a field write, which no lack of stack prevents
        }
      }
    }
  }

  /** Cancels a turn that is not needed any more; returns a new one that is to join the queue. */
  private @Nullable Turn rearrange() {
    CompletableFuture<Permit> given = null;
    lock.lock();
    try {
      Cost cost = outbox.nextCost();
      Turn old = turn;
      if (old != null
          && old.deliverer == null
          && (old.deserted || cost == null || !old.cost.equals(cost))) {
        given = old.place;
        turn = null;
      }
      if (turn != null || cost == null) {
        return null;
      }
      var next = new Turn(cost, Thread.currentThread());
      turn = next;
      return next;
    } finally {
      lock.unlock();
      if (given != null) {
        given.cancel(false);
      }
    }
  }

  private void join(Turn next) {
    CompletableFuture<Permit> place = place(next);
    var unused = place.whenComplete((permit, refused) -> refused(next, refused));
    boolean given =
        lock.locked(
            () -> {
              next.arranger = null;
              next.place = place;
              return turn != next;
            });
    if (given) {
      place.cancel(false); // no effect if it is over already
    }
  }

  private CompletableFuture<Permit> place(Turn next) {
    try {
      return limiter.acquireAsync(next.cost, this::call, permit -> deliver(next, permit));
    } catch (IllegalArgumentException uncounted) { // a dry run, which takes any cost, is over
      return CompletableFuture.failedFuture(uncounted);
    }
  }

  /** The timer's thread does not call the user's executor, which may run the target on it. */
  private void call(Runnable work) {
    if (executor != DEFAULT_EXECUTOR && TimerThread.isHere()) {
      HelperThreads.execute(() -> hand(work));
    } else {
      executor.execute(work);
    }
  }

  /** Returns whether the turn may begin; not if it was cancelled. */
  private boolean begins(Turn mine) {
    return lock.locked(
        () -> {
          boolean begins = turn == mine;
          if (begins) {
            mine.deliverer = Thread.currentThread();
          }
          return begins;
        });
  }

  private void end(Turn mine) {
    boolean isArranging =
        lock.locked(
            () -> {
              if (turn == mine) {
                turn = null;
              }
              return mine.arranger == Thread.currentThread();
            });
    if (!isArranging) {
      arrange();
    }
  }

  /**
   * A cost that can never pass, or is not counted, is the failure of its message; a cancelled place
   * is no failure.
   */
  private void refused(Turn mine, @Nullable Throwable refused) {
    boolean failed =
        refused instanceof RefusedException || refused instanceof IllegalArgumentException;
    if (refused instanceof WaitQueueFullException) {
      hand(() -> retry(mine));
    } else if (refused != null && failed && begins(mine)) {
      try {
        giveUp(mine, refused);
      } finally {
        end(mine);
      }
    }
  }

  /** Runs {@code work} on the default executor if the executor given rejects it. */
  private void hand(Runnable work) {
    try {
      executor.execute(work);
    } catch (Throwable refused) {
      DEFAULT_EXECUTOR.execute(work);
    }
  }

  /**
   * Asks for a permit without waiting: the only way if a limiter has no wait queue. If there is
   * none, there may be room in the queue later.
   */
  private void retry(Turn mine) {
    Permit permit = turn == mine ? atOnce(mine.cost) : null;
    if (permit == null) {
      CompletableFuture.delayedExecutor(LINE_FULL_MILLIS, MILLISECONDS, DEFAULT_EXECUTOR)
          .execute(() -> hand(() -> end(mine)));
    } else {
      deliver(mine, permit);
    }
  }

  private void giveUp(Turn mine, Throwable refused) {
    if (refused instanceof LimiterClosedException) {
      outbox.close();
      return;
    }
    Delivery<T> never = outbox.take(mine.cost);
    if (never != null) {
      conclude(never.message(), null, refused);
      outbox.tell();
    }
  }

  // ---- delivering

  private void deliver(Turn mine, Permit first) {
    if (!begins(mine)) {
      first.notSent();
      return;
    }
    try {
      int passed = 0;
      for (Permit permit = first; permit != null; permit = another(mine, passed)) {
        Delivery<T> next = outbox.take(mine.cost);
        if (next == null) {
          permit.notSent();
          return;
        }
        pass(next, permit);
        outbox.tell();
        passed++;
      }
    } finally {
      end(mine);
    }
  }

  private void pass(Delivery<T> delivery, Permit permit) {
    T message = delivery.message();
    CompletionStage<?> answer;
    try {
      answer = delivery.pass(permit);
    } catch (Throwable failure) {
      conclude(message, permit, failure);
      return;
    }
    if (answer == null) {
      conclude(message, permit, null);
      return;
    }
    try {
      StageEnd.of(answer, (done, failure) -> conclude(message, permit, failure));
    } catch (Throwable deaf) {
      permit.lost(); // the message may be under way
      conclude(message, permit, deaf);
    }
  }

  private void conclude(T message, @Nullable Permit permit, @Nullable Throwable failure) {
    try {
      if (permit != null) {
        JobResult.ended(permit, failure);
      }
      if (failure != null) {
        onFailure.accept(message, failure);
      }
    } finally {
      outbox.concluded();
    }
  }

  /**
   * Returns a permit for the next message if that may go at once, too. A refusal is left to the
   * next turn.
   */
  private @Nullable Permit another(Turn mine, int passed) {
    Cost next = passed >= mostInATurn ? null : outbox.nextCostUnlessUndecided();
    if (next == null
        || Thread.currentThread().isInterrupted()) { // by the target: the executor may care
      return null;
    }
    mine.cost = next;
    return atOnce(next);
  }

  private @Nullable Permit atOnce(Cost cost) {
    try {
      return limiter.poll(cost);
    } catch (RefusedException | IllegalArgumentException refused) {
      return null;
    }
  }
}
