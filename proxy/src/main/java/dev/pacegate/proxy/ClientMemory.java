package dev.pacegate.proxy;

import io.vertx.core.http.HttpServerRequest;
import java.util.concurrent.atomic.AtomicLong;

/**
 * How much of requests is held that are not sent yet, of all clients together: their heads, and
 * what is read ahead of their bodies. Changed by the event loop alone.
 */
final class ClientMemory {

  /** What a request takes besides its text. */
  private static final int OVERHEAD = 2048;

  private final long most;
  private final AtomicLong held = new AtomicLong();

  ClientMemory(long most) {
    this.most = most;
  }

  /** Half of the heap: the rest is for what is under way. */
  static ClientMemory ofThisProcess() {
    return new ClientMemory(Runtime.getRuntime().maxMemory() / 2);
  }

  boolean isFull() {
    return held.get() >= most;
  }

  /** Takes it, even if there is less: it is there already. */
  void take(int bytes) {
    held.addAndGet(bytes);
  }

  void give(int bytes) {
    held.addAndGet(-bytes);
  }

  long held() {
    return held.get();
  }

  static int sizeOf(HttpServerRequest request) {
    int size = OVERHEAD + String.valueOf(request.uri()).length();
    for (var header : request.headers()) {
      size += header.getKey().length() + header.getValue().length();
    }
    return size;
  }
}
