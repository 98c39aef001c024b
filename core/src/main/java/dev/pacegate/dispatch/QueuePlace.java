package dev.pacegate.dispatch;

import dev.pacegate.Limiter;
import dev.pacegate.Permit;
import dev.pacegate.limit.Cost;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * A place in the limiter's queue. The thread that comes with its permit runs the task that waits
 * first, whichever place is first to be served: so tasks start in their order.
 */
final class QueuePlace {

  private final ThrottledExecutorService owner;
  private final Handoff handoff;
  private PacedTask<?> task; // guarded by the owner's lock
  private volatile @Nullable CompletableFuture<Permit> future; // once it has joined
  private volatile boolean underneath;

  // Of the thread that joins; others may see what they like.
  private @Nullable Thread joiner;
  private @Nullable Runnable rejectedWork;
  private @Nullable Throwable rejection;

  QueuePlace(ThrottledExecutorService owner, Handoff handoff, PacedTask<?> task) {
    this.owner = owner;
    this.handoff = handoff;
    this.task = task;
  }

  /** Returns the task that leaves this place if it is not to run any more. */
  PacedTask<?> task() {
    return task;
  }

  void task(PacedTask<?> task) {
    this.task = task;
  }

  // ---- joining and leaving

  /**
   * Joins the queue of {@code limiter} for a task that is being executed.
   *
   * @throws RejectedExecutionException if the limiter or the executor refuses it
   */
  void join(Limiter limiter, PacedTask<?> executed) {
    joiner = Thread.currentThread();
    CompletableFuture<Permit> joined;
    try {
      joined = limiter.acquireAsync(Cost.ONE, this::hand, this::granted);
    } finally {
      joiner = null;
    }
    future = joined;
    Throwable refusal = refusal(joined);
    if (refusal != null && owner.withdraws(executed, this)) {
      leave();
      throw new RejectedExecutionException("refused: " + executed, refusal);
    }
    var unused = joined.handle((permit, refused) -> refused(refused));
    Runnable work = rejectedWork;
    if (work != null) { // another place has served the task, and this one is for a later task now
      handoff.handOver(this, work);
    }
    if (!owner.awaits(this)) {
      leave();
    }
  }

  private @Nullable Throwable refusal(CompletableFuture<Permit> joined) {
    return joined.isCompletedExceptionally() ? joined.handle((p, e) -> e).join() : rejection;
  }

  /** Leaves the queue, if it is still in it. */
  void leave() {
    CompletableFuture<Permit> joined = future;
    if (joined != null) {
      joined.cancel(false);
    }
  }

  /** Makes the places of {@code tasks} leave the queue of {@code limiter} together. */
  static void leaveAll(Limiter limiter, List<? extends PacedTask<?>> tasks) {
    var joined = new ArrayList<CompletableFuture<Permit>>(tasks.size());
    for (PacedTask<?> task : tasks) {
      CompletableFuture<Permit> future = task.place().future;
      if (future != null) {
        joined.add(future);
      }
    }
    limiter.cancelAll(joined);
  }

  // ---- being served

  private void hand(Runnable work) {
    if (joiner != Thread.currentThread()) {
      handoff.handOver(this, work);
      return;
    }
    rejection = handoff.handOverNow(this, work);
    rejectedWork = rejection == null ? null : work;
  }

  private void granted(Permit permit) {
    PacedTask<?> first = owner.starts(this);
    if (first == null) {
      permit.notSent();
    } else {
      first.runUnder(permit);
    }
  }

  private @Nullable Void refused(@Nullable Throwable refusal) {
    if (refusal != null && !(refusal instanceof CancellationException)) {
      owner.failFirst(this, refusal);
    }
    return null;
  }

  /** Notes whether a thread has been sent that has not come. */
  void isUnderneath(boolean now) {
    underneath = now;
  }

  boolean isUnderneath() {
    return underneath;
  }
}
