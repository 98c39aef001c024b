package dev.pacegate.adapter.tck;

import static java.util.Objects.requireNonNull;

import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.function.Supplier;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/** One call of a client: a request, and all that the client sends because of it. */
public interface ClientCall {

  /**
   * Sends the request, waits for the response and reads its body to the end. Called once.
   *
   * @return the status of the response
   * @throws Exception what the client throws
   */
  int execute() throws Exception;

  /** Cancels as users of the client do, at any time, from another thread. */
  void cancel();

  /**
   * Returns a call of a client that blocks the calling thread.
   *
   * @param send sends the request, reads the body to its end and returns the status; called once
   * @param cancel cancels the request, from another thread: also before it is sent, while it waits
   *     for a permit, and after it has ended
   */
  static ClientCall ofBlocking(Callable<Integer> send, Runnable cancel) {
    requireNonNull(send);
    requireNonNull(cancel);
    return new ClientCall() {
      @Override
      public int execute() throws Exception {
        return send.call();
      }

      @Override
      public void cancel() {
        cancel.run();
      }
    };
  }

  /**
   * Returns a call of a client whose calls are futures.
   *
   * @param start sends the request; the future ends with the body
   * @param status reads the status of a response
   */
  static <R> ClientCall ofFuture(
      Supplier<? extends CompletableFuture<R>> start, ToIntFunction<? super R> status) {
    requireNonNull(start);
    requireNonNull(status);
    return new ClientCall() {
      private @Nullable CompletableFuture<R> response; // guarded by this
      private boolean cancelled; // guarded by this

      @Override
      public int execute() throws Exception {
        CompletableFuture<R> begun = start.get();
        synchronized (this) {
          response = begun;
          if (cancelled) {
            begun.cancel(true);
          }
        }
        try {
          return status.applyAsInt(begun.get());
        } catch (ExecutionException failed) {
          throw failed.getCause() instanceof Exception cause ? cause : failed;
        }
      }

      @Override
      public synchronized void cancel() {
        cancelled = true;
        if (response != null) {
          response.cancel(true);
        }
      }
    };
  }
}
