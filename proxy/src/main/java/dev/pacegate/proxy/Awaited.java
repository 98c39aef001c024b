package dev.pacegate.proxy;

import io.vertx.core.Future;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** Waits of threads that are none of the proxy's. */
final class Awaited {

  /** For what is done at once unless a thread hangs. */
  static final Duration GRACE = Duration.ofSeconds(2);

  private Awaited() {}

  /** Returns the result, or throws what has failed. */
  static <T> T await(Future<T> future) {
    return join(future.toCompletionStage().toCompletableFuture());
  }

  /** Returns whether an end comes in time. If it fails, that is logged: others are to follow. */
  static boolean ends(Supplier<Future<?>> begun, Duration longest, Consumer<String> log) {
    try {
      join(
          begun
              .get()
              .toCompletionStage()
              .toCompletableFuture()
              .orTimeout(longest.toMillis(), TimeUnit.MILLISECONDS));
      return true;
    } catch (RuntimeException e) {
      if (!(e.getCause() instanceof TimeoutException)) {
        log.accept("a part of the proxy did not end: " + e);
      }
      return false;
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
