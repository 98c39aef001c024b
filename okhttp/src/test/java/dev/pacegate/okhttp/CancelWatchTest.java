package dev.pacegate.okhttp;

import static org.junit.jupiter.api.Assertions.assertFalse;

import java.lang.reflect.Proxy;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import okhttp3.Call;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** How a cancellation is noticed without events, as before OkHttp 5.4. */
@Timeout(60)
class CancelWatchTest {

  private final AtomicBoolean cancelled = new AtomicBoolean();

  private Call call() {
    return (Call)
        Proxy.newProxyInstance(
            Call.class.getClassLoader(),
            new Class<?>[] {Call.class},
            (proxy, method, arguments) -> {
              if (method.getName().equals("isCanceled")) {
                return cancelled.get();
              }
              throw new NoSuchMethodError(method.getName());
            });
  }

  /** It may run functions of the user, and the thread of the call closes the watch meanwhile. */
  @Test
  void aCancellationIsToldOutsideOfTheLock() throws Exception {
    var watch = new CompletableFuture<CancelWatch>();
    var locked = new CompletableFuture<Boolean>();
    try (var made =
        new CancelWatch(call(), () -> locked.complete(Thread.holdsLock(watch.join())))) {
      watch.complete(made);
      cancelled.set(true);
      assertFalse(locked.get());
    }
  }
}
