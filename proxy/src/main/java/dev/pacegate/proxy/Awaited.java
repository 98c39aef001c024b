package dev.pacegate.proxy;

import io.vertx.core.Future;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Waits of threads that are none of the proxy's. */
final class Awaited {

  /** For what is done at once unless a thread hangs. */
  static final Duration GRACE = Duration.ofSeconds(2);

  private Awaited() {}

  /** Returns the result, or throws what has failed. */
  static <T> T await(Future<T> future) {
    return join(future.toCompletionStage().toCompletableFuture());
  }

  /** Returns whether it ends in time; throws what has failed. */
  static boolean ends(Future<?> future, Duration longest) {
    try {
      join(
          future
              .toCompletionStage()
              .toCompletableFuture()
              .orTimeout(longest.toMillis(), TimeUnit.MILLISECONDS));
      return true;
    } catch (CompletionException e) {
      if (e.getCause() instanceof TimeoutException) {
        return false;
      }
      throw e;
    }
  }

  private static <T> T join(CompletableFuture<T> future) {
    try {
      return future.join();
    } catch (CompletionException e) {
      throw e.getCause() instanceof RuntimeException cause ? cause : e;
    }
  }
}
