package dev.pacegate.reactive;

import dev.pacegate.Limiter;
import dev.pacegate.Permit;
import dev.pacegate.limit.Cost;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A permit that has been asked for, one at a time, until it is used or given up. Its methods are
 * called in turns; the limiter's answer comes from any thread.
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

  /** Returns whether no permit is asked for, or has come and not been used. */
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

  /** Returns the permit that has come, which stays here until it is {@link #used}. */
  @Nullable Permit permit() {
    return permit;
  }

  /** Returns why none comes. */
  @Nullable Throwable refusal() {
    return refusal;
  }

  /** The permit that has come is being used: another may be asked for. */
  void used() {
    permit = null;
    asked = null;
  }

  /** Gives up the place in the limiter's line, and a permit that has come. May be repeated. */
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
