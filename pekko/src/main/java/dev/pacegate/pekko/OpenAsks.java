package dev.pacegate.pekko;

import static java.util.concurrent.TimeUnit.MILLISECONDS;

import dev.pacegate.Permit;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.pekko.actor.Status;
import org.apache.pekko.pattern.AskTimeoutException;
import org.apache.pekko.pattern.StatusReply;
import org.jspecify.annotations.Nullable;

/**
 * The messages to which their targets have not replied yet. Thread-safe.
 *
 * @param <R> the type of actor references
 */
final class OpenAsks<R> {

  /** Equal to itself alone. */
  private static final class Ask<R> extends CompletableFuture<Object> {

    final R target;

    Ask(R target) {
      this.target = target;
    }

    void end(@Nullable Object reply, @Nullable Throwable failure) {
      Throwable told = failure == null ? failureIn(reply) : failure;
      if (told == null || told instanceof StatusReply.ErrorMessage) { // an answer in words
        complete(reply);
      } else {
        completeExceptionally(told);
      }
    }

    private static @Nullable Throwable failureIn(@Nullable Object reply) {
      if (reply instanceof StatusReply<?> status && status.isError()) {
        return status.getError();
      }
      return reply instanceof Status.Failure failure ? failure.cause() : null;
    }
  }

  /** A system that ends forgets its timers, so the JDK's ends what is still open then. */
  private static final Duration GRACE = Duration.ofSeconds(1);

  private final Set<Ask<R>> open = ConcurrentHashMap.newKeySet();

  /**
   * Ends {@code permit} as failed if the reply is a failure, or does not come. Returns a stage that
   * completes in any case, as the message has been sent.
   */
  CompletionStage<?> add(R target, CompletionStage<?> reply, Duration within, Permit permit) {
    var ask = new Ask<>(target);
    open.add(ask);
    var unused = reply.whenComplete(ask::end);
    return ask.orTimeout(within.plus(GRACE).toMillis(), MILLISECONDS)
        .handle(
            (answer, failure) -> {
              open.remove(ask);
              if (failure != null) {
                permit.failed(failure);
              }
              return target; // without a failure the throttler ends the permit as answered
            });
  }

  /** No reply comes from a target that has terminated. */
  void terminated(R target) {
    for (Ask<R> ask : open) {
      if (ask.target.equals(target)) {
        ask.completeExceptionally(
            new AskTimeoutException(target + " terminated before it replied"));
      }
    }
  }
}
