package dev.pacegate.pekko;

import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.pekko.Done;

/**
 * The calls that a materialisation has under way, those in the limiter's line included. They are
 * cancelled when it ends, so that nothing is called for a stream that is no more.
 */
final class Calls {

  private final Set<CompletableFuture<?>> open = ConcurrentHashMap.newKeySet();
  private volatile boolean ended;

  @SuppressWarnings("CollectionUndefinedEquality") // identity is what is meant
  <R> CompletionStage<R> add(CompletableFuture<R> call) {
    open.add(call);
    if (ended) {
      call.cancel(false);
    }
    return call.whenComplete((result, failure) -> open.remove(call));
  }

  /** Ends with the stream that {@code done} tells the end of. */
  <M> M endWith(M materialized, CompletionStage<Done> done) {
    done.whenComplete((completed, failure) -> end());
    return materialized;
  }

  private void end() {
    ended = true;
    open.forEach(call -> call.cancel(false));
  }
}
