package dev.pacegate.result;

import static java.util.Objects.requireNonNull;

import dev.pacegate.Permit;
import dev.pacegate.context.ContextPropagator;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * An asynchronous job that waits for its permit and then runs, without a waiting thread.
 *
 * <p>Completing this future from outside (cancel, time-out) leaves the queue, or cancels the job.
 * The permit ends when the job's own stage does, however this future ends. If the stage throws
 * instead of letting itself be listened to, the permit is lost and this future fails.
 */
public final class AsyncCall<T extends @Nullable Object> extends CompletableFuture<T> {

  private final CompletableFuture<Permit> place;
  private final Supplier<? extends CompletionStage<T>> job;
  private volatile @Nullable CompletionStage<T> running;

  private AsyncCall(CompletableFuture<Permit> place, Supplier<? extends CompletionStage<T>> job) {
    this.place = place;
    this.job = job;
  }

  /**
   * Starts a call with a permit from {@code place}.
   *
   * @param propagator carries the calling thread's context to the job if it must wait
   */
  @SuppressWarnings("FutureReturnValueIgnored") // this call itself is completed by both
  public static <T extends @Nullable Object> CompletableFuture<T> start(
      CompletableFuture<Permit> place,
      ContextPropagator propagator,
      Supplier<? extends CompletionStage<T>> job) {
    var call = new AsyncCall<T>(place, job);
    try {
      if (place.isDone() && !place.isCompletedExceptionally()) {
        call.runNow(place.join());
        return call;
      }
      // Not a field: the context would live as long as the result.
      CallerContext context = CallerContext.capture(propagator, place);
      call.whenComplete((result, failure) -> call.abandon());
      place.whenComplete((permit, refused) -> call.admitted(context, permit, refused));
    } catch (Throwable failure) {
      call.completeExceptionally(failure);
    }
    return call;
  }

  @Override
  public <U> CompletableFuture<U> newIncompleteFuture() {
    return new CompletableFuture<>();
  }

  /** The permit was there at once, and the job runs before anyone sees this future. */
  @SuppressWarnings("FutureReturnValueIgnored")
  private void runNow(Permit permit) {
    run(CallerContext.none(), permit);
    if (!isDone()) {
      whenComplete((result, failure) -> abandon());
    }
  }

  private void admitted(
      CallerContext context, @Nullable Permit permit, @Nullable Throwable refused) {
    if (permit == null) {
      completeExceptionally(refused == null ? new IllegalStateException() : refused);
    } else if (isDone()) {
      permit.notSent();
    } else {
      run(context, permit);
    }
  }

  private void run(CallerContext context, Permit permit) {
    CompletionStage<T> stage;
    try {
      CompletionStage<T> returned = context.call(permit, () -> HeldPermits.call(permit, job::get));
      stage = requireNonNull(returned, "the job returned no stage");
    } catch (Throwable failure) {
      permit.failed(failure);
      completeExceptionally(failure);
      return;
    }
    running = stage;
    if (isDone()) {
      abandon();
    }
    try {
      StageEnd.of(stage, (result, failure) -> ended(permit, result, failure));
    } catch (Throwable deaf) {
      permit.lost(); // the request may be under way
      completeExceptionally(deaf);
      abandon();
    }
  }

  private void ended(Permit permit, T result, @Nullable Throwable failure) {
    if (failure == null) {
      permit.answered();
      complete(result);
    } else {
      permit.failed(failure);
      completeExceptionally(failure);
    }
  }

  /** Cancels what is under way; has no effect on what is over. */
  private void abandon() {
    if (!place.isDone()) {
      place.cancel(false);
    }
    CompletionStage<T> stage = running;
    if (stage != null) {
      StageEnd.cancel(stage);
    }
  }
}
