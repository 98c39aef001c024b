package dev.pacegate.adapter.tck;

import dev.pacegate.time.Time;

/** When the server saw a request: its arrival, and the end of the response. */
final class Seen {

  final long arrived = now();
  private volatile long ended = arrived;

  private static long now() {
    return Time.system().nanoTime();
  }

  /** Called before each write: after the last one the client may know that the body has ended. */
  void writes() {
    ended = now();
  }

  /** Returns when the last bytes were about to be written; the arrival if none were. */
  long ended() {
    return ended;
  }
}
