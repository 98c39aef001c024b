package dev.pacegate.reactive;

import dev.pacegate.Limiter;
import dev.pacegate.Permit;
import dev.pacegate.limit.Cost;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A place in a limiter's line, one at a time, and what comes of it. In turns, but for the answer.
 */
final class Place {

  private final Limiter limiter;
  private final Runnable stir;
  private @Nullable CompletableFuture<Permit> joined;
  private volatile @Nullable Permit permit;
  private volatile @Nullable Throwable refusal;

  Place(Limiter limiter, Runnable stir) {
    this.limiter = limiter;
    this.stir = stir;
  }

  /** Returns whether nothing has been asked for, or what has come of it been taken. */
  boolean isFree() {
    return joined == null;
  }

  void stand() {
    CompletableFuture<Permit> place = limiter.acquireAsync(Cost.ONE);
    joined = place;
    var unused = place.whenComplete(this::answered);
  }

  private void answered(@Nullable Permit granted, @Nullable Throwable refused) {
    permit = granted;
    refusal = refused;
    stir.run();
  }

  /** Returns the permit that has come, which stays here. */
  @Nullable Permit permit() {
    return permit;
  }

  /** Returns why none comes. */
  @Nullable Throwable refusal() {
    return refusal;
  }

  /** The permit is being used. */
  void used() {
    permit = null;
    joined = null;
  }

  /** Gives up the place, or whatever has come of it. May be repeated. */
  void leave() {
    if (joined != null) {
      joined.cancel(false);
    }
    Permit left = permit;
    if (left != null) {
      permit = null;
      left.notSent();
    }
  }
}
