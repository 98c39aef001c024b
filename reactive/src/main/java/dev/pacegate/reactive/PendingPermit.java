package dev.pacegate.reactive;

import dev.pacegate.Limiter;
import dev.pacegate.Permit;
import dev.pacegate.limit.Cost;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The permit that a stage has asked for, one at a time, until it is used or given up. Its methods
 * are called in turns; the limiter's answer comes on any thread.
 */
final class PendingPermit {

  private final Limiter limiter;
  private final Runnable stir;
  private @Nullable CompletableFuture<Permit> asked;
  private volatile @Nullable Permit permit;
  private volatile @Nullable Throwable refusal;

  PendingPermit(Limiter limiter, Runnable stir) {
    this.limiter = limiter;
    this.stir = stir;
  }

  /** Returns whether no permit is asked for, and none is unused. */
  boolean isFree() {
    return asked == null;
  }

  void ask(Cost cost) {
    CompletableFuture<Permit> future = limiter.acquireAsync(cost);
    asked = future;
    var unused = future.whenComplete(this::answered);
  }

  private void answered(@Nullable Permit granted, @Nullable Throwable refused) {
    permit = granted;
    refusal = refused;
    stir.run();
  }

  /** Returns the permit that has come, which stays here until {@link #used}; null if none has. */
  @Nullable Permit permit() {
    return permit;
  }

  /** Returns the refusal, if there is one. */
  @Nullable Throwable refusal() {
    return refusal;
  }

  /** The permit is being used: another may be asked for. */
  void used() {
    permit = null;
    asked = null;
  }

  /** Leaves the limiter's queue, or ends a permit that has come as not sent. May be repeated. */
  void giveUp() {
    if (asked != null) {
      asked.cancel(false);
    }
    Permit left = permit;
    if (left != null) {
      permit = null;
      left.notSent();
    }
  }
}
