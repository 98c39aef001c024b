package dev.pacegate.okhttp;

import dev.pacegate.time.Time;
import dev.pacegate.time.Timer.Scheduled;
import java.util.concurrent.TimeUnit;
import okhttp3.Call;
import okhttp3.EventListener;
import org.jspecify.annotations.Nullable;

/** Tells of the cancellation of a call: at any time, or before OkHttp 5.4 until it is closed. */
final class CancelWatch extends EventListener implements AutoCloseable {

  private static final long PERIOD = TimeUnit.MILLISECONDS.toNanos(50);

  private final Call call;
  private final Runnable cancelled;

  // Guarded by this.
  private @Nullable Scheduled look;
  private boolean closed;

  CancelWatch(Call call, Runnable cancelled) {
    this.call = call;
    this.cancelled = cancelled;
    try {
      call.addEventListener(this);
      if (call.isCanceled()) {
        cancelled.run(); // before there was a listener
      }
    } catch (NoSuchMethodError before54) {
      lookForIt();
    }
  }

  @Override
  public void canceled(Call call) {
    cancelled.run();
  }

  private void lookForIt() {
    if (call.isCanceled()) {
      cancelled.run(); // without the lock: it may run functions of the user
    } else {
      lookAgain();
    }
  }

  private synchronized void lookAgain() {
    if (!closed) {
      look = Time.system().at(Time.system().nanoTime() + PERIOD, this::lookForIt);
    }
  }

  @Override
  public synchronized void close() {
    closed = true;
    if (look != null) {
      look.cancel();
    }
  }
}
