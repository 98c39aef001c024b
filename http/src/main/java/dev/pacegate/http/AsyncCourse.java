package dev.pacegate.http;

import dev.pacegate.Permit;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A course that no thread waits for.
 *
 * <p>Completed from outside (cancelled, timed out) it gives up its place in line, or cancels the
 * exchange; permits end as ever.
 */
final class AsyncCourse<T extends @Nullable Object> extends CompletableFuture<HttpResponse<T>> {

  private final Course<T> course;
  private final Turnstile turnstile;
  private final Function<Attempt<T>, CompletableFuture<HttpResponse<T>>> sender;
  private volatile @Nullable CompletableFuture<?> underway;

  private AsyncCourse(
      Course<T> course,
      Turnstile turnstile,
      Function<Attempt<T>, CompletableFuture<HttpResponse<T>>> sender) {
    this.course = course;
    this.turnstile = turnstile;
    this.sender = sender;
  }

  @SuppressWarnings("FutureReturnValueIgnored") // what depends on it is the course itself
  static <T extends @Nullable Object> AsyncCourse<T> start(
      Course<T> course,
      Turnstile turnstile,
      Function<Attempt<T>, CompletableFuture<HttpResponse<T>>> sender) {
    var started = new AsyncCourse<>(course, turnstile, sender);
    started.whenComplete((response, failure) -> started.abandon());
    started.next(turnstile.pass(course.request()));
    return started;
  }

  @Override
  public <U> CompletableFuture<U> newIncompleteFuture() {
    return new CompletableFuture<>();
  }

  @SuppressWarnings("FutureReturnValueIgnored")
  private void next(Pass pass) {
    CompletableFuture<Permit> place = pass.acquireAsync();
    track(place);
    place.whenComplete((permit, refused) -> guarded(() -> admitted(pass, permit, refused)));
  }

  private void admitted(Pass pass, @Nullable Permit permit, @Nullable Throwable refused) {
    if (permit == null) {
      completeExceptionally(pass.reported(refused == null ? new IllegalStateException() : refused));
    } else if (isDone()) {
      permit.notSent();
    } else {
      send(pass, permit);
    }
  }

  @SuppressWarnings("FutureReturnValueIgnored")
  private void send(Pass pass, Permit permit) {
    Attempt<T> attempt;
    try {
      attempt = course.attempt(pass, permit);
    } catch (Throwable failure) {
      permit.notSent();
      throw failure;
    }
    CompletableFuture<HttpResponse<T>> exchange;
    try {
      exchange = sender.apply(attempt);
    } catch (Throwable failure) {
      attempt.failed(failure);
      throw failure;
    }
    track(exchange);
    exchange.whenComplete((response, failure) -> guarded(() -> ended(attempt, response, failure)));
  }

  private void ended(
      Attempt<T> attempt, @Nullable HttpResponse<T> response, @Nullable Throwable failure)
      throws IOException {
    if (response == null) {
      failed(attempt, failure == null ? new IllegalStateException() : failure);
      return;
    }
    HttpResponse<T> answer = course.accept(attempt, response);
    if (answer == null) {
      proceed();
    } else if (!complete(answer)) {
      attempt.dropped(response); // given up just now: nobody will read the body
    }
  }

  private void failed(Attempt<T> attempt, Throwable failure) {
    Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
    Throwable reported = course.failed(attempt, cause == null ? failure : cause);
    if (reported == null) {
      proceed();
    } else {
      completeExceptionally(reported);
    }
  }

  private void proceed() {
    if (!isDone()) {
      next(turnstile.pass(course.request()));
    }
  }

  /** Nobody else would hear of what a function of the user throws between two requests. */
  private void guarded(Step step) {
    try {
      step.run();
    } catch (Throwable failure) {
      completeExceptionally(failure);
    }
  }

  /** What goes on between two requests. */
  private interface Step {
    void run() throws IOException;
  }

  private void track(CompletableFuture<?> stage) {
    underway = stage;
    if (isDone()) {
      abandon();
    }
  }

  /** Passes on that nobody wants the response: has no effect on what is over. */
  private void abandon() {
    CompletableFuture<?> stage = underway;
    if (stage != null) {
      stage.cancel(true);
    }
  }
}
