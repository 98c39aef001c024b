package dev.pacegate.dispatch;

import dev.pacegate.Permit;
import dev.pacegate.result.HeldPermits;
import dev.pacegate.result.JobResult;
import dev.pacegate.result.ResultKind;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * The outcome of the work under one permit, which decides how the permit ends.
 *
 * <p>It is bound to the thread that does the work: every paced task that the thread runs, directly
 * or inside another as those of a {@link java.util.concurrent.CompletionService}, records its
 * outcome here.
 */
final class TaskOutcome {

  private static final ThreadLocal<TaskOutcome> HERE = new ThreadLocal<>();

  private static final ClassValue<AtomicBoolean> WARNED =
      new ClassValue<>() {
        @Override
        protected AtomicBoolean computeValue(Class<?> type) {
          return new AtomicBoolean();
        }
      };

  private boolean begun;
  private @Nullable Throwable failure;
  private @Nullable CompletionStage<?> stage;
  private boolean unknown; // cancelled, or returned a future or a publisher: how far it came

  /** Returns the outcome of this thread's work; an unused one if the work has no permit. */
  static TaskOutcome here() {
    TaskOutcome here = HERE.get();
    return here == null ? new TaskOutcome() : here;
  }

  /** Does {@code work} under {@code permit}, and ends it. */
  static void of(Permit permit, Runnable work) {
    TaskOutcome before = HERE.get();
    var outcome = new TaskOutcome();
    HERE.set(outcome);
    try {
      HeldPermits.run(permit, work);
    } finally {
      if (before == null) {
        HERE.remove();
      } else {
        HERE.set(before);
      }
      outcome.end(permit);
    }
  }

  void begun() {
    begun = true;
  }

  void cancelled() {
    unknown = true;
  }

  void failed(Throwable thrown) {
    failure = thrown;
  }

  void returned(@Nullable Object result) {
    ResultKind kind = ResultKind.of(result);
    if (result instanceof CompletionStage<?> later) {
      stage = later;
    } else if (result != null && kind != ResultKind.VALUE) {
      unknown = true;
      warn(kind, result);
    }
  }

  /**
   * An executor must return a task's result whatever it is, so this is only logged, once per type.
   */
  private static void warn(ResultKind kind, Object result) {
    if (WARNED.get(result.getClass()).compareAndSet(false, true)) {
      Failures.log("a task of a limited executor", new IllegalStateException(kind.advice(result)));
    }
  }

  private void end(Permit permit) {
    if (!begun) {
      permit.notSent();
    } else if (stage != null) {
      JobResult.endWith(stage, permit);
    } else if (unknown) {
      permit.lost(); // whatever it returned or threw
    } else {
      JobResult.ended(permit, failure);
    }
  }
}
