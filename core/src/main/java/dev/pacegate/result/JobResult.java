package dev.pacegate.result;

import dev.pacegate.Permit;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Ends the permit of a job that has returned a result. */
public final class JobResult {

  private JobResult() {}

  /**
   * Ends {@code permit} if {@code result} is the answer. If it is a stage, the permit ends with the
   * stage.
   *
   * @throws IllegalStateException if the end of the request cannot be known from the result; the
   *     permit is lost
   */
  public static void end(Permit permit, @Nullable Object result) {
    if (result == null) {
      permit.answered();
      return;
    }
    ResultKind kind = ResultKind.of(result);
    switch (kind) {
      case VALUE -> permit.answered();
      case STAGE -> endWith((CompletionStage<?>) result, permit);
      case FUTURE, PUBLISHER -> {
        permit.lost();
        throw new IllegalStateException(kind.advice(result));
      }
    }
  }

  /** Ends {@code permit} with {@code stage}. */
  public static void endWith(CompletionStage<?> stage, Permit permit) {
    try {
      StageEnd.of(stage, (answer, failure) -> ended(permit, failure));
    } catch (Throwable failure) {
      permit.lost(); // a stage that cannot be listened to
      throw failure;
    }
  }

  /** Ends {@code permit}: as the failure of its job is classified, if there was one. */
  public static void ended(Permit permit, @Nullable Throwable failure) {
    if (failure == null) {
      permit.answered();
    } else {
      permit.failed(failure);
    }
  }
}
