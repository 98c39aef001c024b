package dev.pacegate.http;

import static java.util.Objects.requireNonNull;

import dev.pacegate.adapter.PacedRequest;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * An exchange without a waiting thread.
 *
 * <p>Completing this future from outside (cancel, time-out) leaves the queue, or cancels the
 * request; permits end as usual.
 */
final class AsyncExchange<T extends @Nullable Object> extends CompletableFuture<HttpResponse<T>> {

  private final Exchange<T> exchange;
  private final Function<Attempt<T>, CompletableFuture<HttpResponse<T>>> sender;
  private volatile @Nullable CompletableFuture<?> underway;

  private AsyncExchange(
      Exchange<T> exchange, Function<Attempt<T>, CompletableFuture<HttpResponse<T>>> sender) {
    this.exchange = exchange;
    this.sender = sender;
  }

  @SuppressWarnings("FutureReturnValueIgnored") // the exchange itself is completed by it
  static <T extends @Nullable Object> AsyncExchange<T> start(
      Exchange<T> exchange, Function<Attempt<T>, CompletableFuture<HttpResponse<T>>> sender) {
    var started = new AsyncExchange<>(exchange, sender);
    started.whenComplete((response, failure) -> started.abandon());
    started.next();
    return started;
  }

  @Override
  public <U> CompletableFuture<U> newIncompleteFuture() {
    return new CompletableFuture<>();
  }

  @SuppressWarnings("FutureReturnValueIgnored")
  private void next() {
    CompletableFuture<PacedRequest<HttpResponse<?>>> place = exchange.acquireAsync();
    track(place);
    place.whenComplete((paced, refused) -> guarded(() -> admitted(paced, refused)));
  }

  private void admitted(
      @Nullable PacedRequest<HttpResponse<?>> paced, @Nullable Throwable refused) {
    if (paced == null) {
      completeExceptionally(
          Exchange.reported(refused == null ? new IllegalStateException() : refused));
    } else if (isDone()) {
      paced.notSent();
    } else {
      send(exchange.attempt(paced));
    }
  }

  private void send(Attempt<T> attempt) {
    CompletableFuture<HttpResponse<T>> sent;
    try {
      sent = requireNonNull(sender.apply(attempt), "the client returned no future");
    } catch (Throwable failure) {
      attempt.failed(failure);
      throw failure;
    }
    track(sent);
    listen(sent, attempt);
  }

  /** A client of another make may return any future: it may report two ends, or throw. */
  @SuppressWarnings("FutureReturnValueIgnored")
  private void listen(CompletableFuture<HttpResponse<T>> sent, Attempt<T> attempt) {
    var over = new AtomicBoolean();
    try {
      sent.whenComplete(
          (response, failure) -> {
            if (over.compareAndSet(false, true)) {
              guarded(() -> ended(attempt, response, failure));
            }
          });
    } catch (Throwable deaf) {
      if (over.compareAndSet(false, true)) {
        attempt.lost(); // the request may be under way, whatever the failure says
        attempt.failed(deaf);
        throw deaf;
      }
    }
  }

  private void ended(
      Attempt<T> attempt, @Nullable HttpResponse<T> response, @Nullable Throwable failure)
      throws IOException {
    if (response == null) {
      failed(attempt, failure == null ? new IllegalStateException() : failure);
      return;
    }
    HttpResponse<T> answer = exchange.accept(attempt, response);
    if (answer == null) {
      proceed();
    } else if (!complete(answer)) {
      attempt.dropped(response); // given up just now: the caller will not read the body
    }
  }

  private void failed(Attempt<T> attempt, Throwable failure) {
    Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
    Throwable reported = exchange.failed(attempt, cause == null ? failure : cause);
    if (reported == null) {
      proceed();
    } else {
      completeExceptionally(reported);
    }
  }

  private void proceed() {
    if (!isDone()) {
      next();
    }
  }

  /** Reports what a function of the user throws between two requests, which no caller would see. */
  private void guarded(Step step) {
    try {
      step.run();
    } catch (Throwable failure) {
      completeExceptionally(failure);
    }
  }

  /** A step between two requests. */
  private interface Step {
    void run() throws IOException;
  }

  private void track(CompletableFuture<?> stage) {
    underway = stage;
    if (isDone()) {
      abandon();
    }
  }

  /** Cancels what is under way; has no effect on what is over. */
  private void abandon() {
    CompletableFuture<?> stage = underway;
    if (stage != null) {
      cancel(stage);
    }
  }

  private static void cancel(CompletableFuture<?> stage) {
    try {
      stage.cancel(true);
    } catch (Throwable notCancellable) {
      // Its permit ends when it does.
    }
  }
}
