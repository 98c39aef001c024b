package dev.pacegate.proxy;

import io.vertx.core.http.HttpServerRequest;

/**
 * How much of requests is held that are not sent yet, of all clients together: their heads, and
 * what is read ahead of their bodies. Confined to the event loop.
 */
final class ClientMemory {

  /** What a request takes besides its text. */
  private static final int OVERHEAD = 2048;

  private long left;

  ClientMemory(long most) {
    this.left = most;
  }

  /** Half of the heap: the rest is for what is under way. */
  static ClientMemory ofThisProcess() {
    return new ClientMemory(Runtime.getRuntime().maxMemory() / 2);
  }

  boolean isFull() {
    return left <= 0;
  }

  /** Takes it, even if there is less: it is there already. */
  void take(int bytes) {
    left -= bytes;
  }

  void give(int bytes) {
    left += bytes;
  }

  static int sizeOf(HttpServerRequest request) {
    int size = OVERHEAD + String.valueOf(request.uri()).length();
    for (var header : request.headers()) {
      size += header.getKey().length() + header.getValue().length();
    }
    return size;
  }
}
