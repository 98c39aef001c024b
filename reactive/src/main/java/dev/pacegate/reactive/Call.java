package dev.pacegate.reactive;

import static java.util.Objects.requireNonNull;

import dev.pacegate.Limiter;
import dev.pacegate.Permit;
import dev.pacegate.limit.Cost;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One call of an asynchronous function. It waits for its permit, the thread that takes the permit
 * calls the function, and the permit ends as by {@link Limiter#callAsync}.
 */
/*
 * It does not use `callAsync`, which reports only when the call has ended, not when it has been made. Nor
 * is it a turn: downstream may keep a turn busy for long with an answer, and the permit would be old by
 * then.
 */
final class Call<R> {

  private final MapThrottled<?, R> stage;
  private final Supplier<? extends CompletionStage<R>> function;
  private volatile @Nullable CompletableFuture<Permit> place;
  private volatile @Nullable CompletionStage<R> running;
  private volatile boolean abandoned;
  private final AtomicBoolean over = new AtomicBoolean();
  private volatile @Nullable R answer;

  Call(MapThrottled<?, R> stage, Supplier<? extends CompletionStage<R>> function) {
    this.stage = stage;
    this.function = function;
  }

  /** Returns the answer, if it has come. */
  @Nullable R answer() {
    return answer;
  }

  /** Continues when there is a permit: at once, or joins the queue. Call it in a turn. */
  void start(Limiter limiter, Cost price) {
    Permit atOnce = limiter.poll(price);
    if (atOnce != null) {
      admitted(atOnce, null);
      return;
    }
    CompletableFuture<Permit> joined = limiter.acquireAsync(price);
    place = joined;
    var unused =
        joined.whenComplete(
            (permit, refused) -> stage.runFromCallback(() -> admitted(permit, refused)));
  }

  /** The answer is not wanted any more; has no effect on what is over. */
  void abandon() {
    abandoned = true;
    if (place != null) {
      place.cancel(false);
    }
    CompletionStage<R> made = running;
    if (made != null) {
      cancel(made);
    }
  }

  private void admitted(@Nullable Permit permit, @Nullable Throwable refused) {
    if (permit == null) {
      stage.breaks(requireNonNull(refused));
    } else if (abandoned || stage.isBroken()) {
      permit.notSent();
    } else {
      make(permit);
      stage.made();
    }
    stage.stirFromCallback();
  }

  private void make(Permit permit) {
    CompletionStage<R> made;
    try {
      made = requireNonNull(function.get(), "the function returned no stage");
    } catch (Throwable failure) {
      ended(permit, null, failure);
      return;
    }
    running = made;
    if (abandoned) {
      cancel(made);
    }
    if (holdsAnswer(made)) {
      ended(permit, made.toCompletableFuture().join(), null);
      return;
    }
    try {
      var unused = made.whenComplete((result, failure) -> ended(permit, result, failure));
    } catch (Throwable failure) {
      isDeaf(permit, failure);
    }
  }

  /** Returns whether it is a future of the JDK that needs no callback. */
  private static boolean holdsAnswer(CompletionStage<?> made) {
    return made.getClass() == CompletableFuture.class
        && made.toCompletableFuture().isDone()
        && !made.toCompletableFuture().isCompletedExceptionally();
  }

  /** The function's stage throws instead of taking a callback: the request may be under way. */
  private void isDeaf(Permit permit, Throwable failure) {
    if (over.compareAndSet(false, true)) {
      stage.breaks(failure);
      permit.lost();
      stage.stirFromCallback();
    }
  }

  /**
   * The end of the permit may start the next call, which must know whether all is over. A stage may
   * be of any class, and report a second end.
   */
  private void ended(Permit permit, @Nullable R result, @Nullable Throwable failure) {
    if (!over.compareAndSet(false, true)) {
      return;
    }
    if (failure != null) {
      stage.breaks(cause(failure));
      permit.failed(failure);
    } else if (result == null) {
      stage.breaks(new NullPointerException("the function's stage ended with null"));
      permit.answered();
    } else {
      permit.answered();
      answer = result;
      stage.answered(this);
    }
    stage.stirFromCallback();
  }

  private static Throwable cause(Throwable failure) {
    Throwable cause = failure.getCause();
    return failure instanceof CompletionException && cause != null ? cause : failure;
  }

  private static void cancel(CompletionStage<?> stage) {
    try {
      stage.toCompletableFuture().cancel(true);
    } catch (Throwable notCancellable) {
      // Its permit ends when it does.
    }
  }
}
