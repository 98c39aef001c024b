package dev.pacegate.result;

import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The end of a stage that user code returned. Such a stage may be of any class: its methods may
 * throw, and it may report more than one end.
 */
public final class StageEnd {

  private StageEnd() {}

  /**
   * Calls {@code listener} with the end of {@code stage}, at most once. What the stage throws is
   * thrown on, unless the listener has been called by then: the end is then known.
   */
  public static <T extends @Nullable Object> void of(
      CompletionStage<T> stage, BiConsumer<? super T, ? super @Nullable Throwable> listener) {
    var told = new AtomicBoolean();
    try {
      var unused =
          stage.whenComplete(
              (result, failure) -> {
                if (told.compareAndSet(false, true)) {
                  listener.accept(result, failure);
                }
              });
    } catch (Throwable deaf) {
      if (told.compareAndSet(false, true)) {
        throw deaf;
      }
    }
  }

  /** Cancels {@code stage} if it can be cancelled. Never throws. */
  public static void cancel(CompletionStage<?> stage) {
    try {
      stage.toCompletableFuture().cancel(true);
    } catch (Throwable notCancellable) {
      // Its permit ends when it does.
    }
  }
}
