package dev.pacegate.okhttp;

import dev.pacegate.adapter.PacedRequest;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import okhttp3.Call;
import okhttp3.EventListener;
import okhttp3.Response;
import org.jspecify.annotations.Nullable;

/** Blocks the thread of a call for a permit until the call is cancelled. */
final class PermitWait extends EventListener {

  private static final long POLL_MILLIS = 50;

  private final Call call;
  private volatile @Nullable CompletableFuture<PacedRequest<Response>> place; // in the queue
  private boolean listens;

  PermitWait(Call call) {
    this.call = call;
  }

  PacedRequest<Response> await(CompletableFuture<PacedRequest<Response>> place) throws IOException {
    if (!place.isDone()) {
      this.place = place; // before it looks whether the call is cancelled
      listen();
    }
    try {
      return get(place);
    } catch (InterruptedException interrupted) {
      leave(place);
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted while waiting for a permit");
    } catch (CancellationException cancelled) {
      throw new IOException("Canceled"); // as OkHttp has it
    } catch (ExecutionException failed) {
      throw reported(failed.getCause());
    }
  }

  private void listen() {
    if (!listens) {
      try {
        call.addEventListener(this);
        listens = true;
      } catch (NoSuchMethodError before54) {
        // It looks from time to time.
      }
    }
  }

  private PacedRequest<Response> get(CompletableFuture<PacedRequest<Response>> place)
      throws InterruptedException, ExecutionException {
    while (true) {
      if (call.isCanceled()) {
        place.cancel(false);
      }
      if (listens) {
        return place.get();
      }
      try {
        return place.get(POLL_MILLIS, TimeUnit.MILLISECONDS);
      } catch (TimeoutException poll) {
        // It may have been cancelled meanwhile.
      }
    }
  }

  @Override
  public void canceled(Call call) {
    var waiting = place;
    if (waiting != null) {
      waiting.cancel(false);
    }
  }

  private static void leave(CompletableFuture<PacedRequest<Response>> place) {
    if (!place.cancel(false) && !place.isCompletedExceptionally()) {
      place.join().notSent();
    }
  }

  private static IOException reported(@Nullable Throwable failure) {
    if (failure instanceof RuntimeException unchecked) {
      throw unchecked;
    }
    if (failure instanceof Error error) {
      throw error;
    }
    return failure instanceof IOException io ? io : new IOException(failure);
  }
}
