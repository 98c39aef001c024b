package dev.pacegate.proxy;

import dev.pacegate.time.NanoClock;
import dev.pacegate.time.Time;
import io.vertx.core.Vertx;
import java.time.Duration;

/**
 * Runs a task once nothing has passed for too long. A part that passes costs a look at the clock
 * and no timer. Confined to the event loop.
 */
final class Silence {

  private final NanoClock clock = Time.system(); // the timers of Vert.x know no other
  private final Vertx vertx;
  private final long longest;
  private final Runnable tooLong;
  private long since;
  private long timer = -1; // none
  private boolean paused;

  Silence(Vertx vertx, Duration longest, Runnable tooLong) {
    this.vertx = vertx;
    this.longest = longest.toNanos();
    this.tooLong = tooLong;
  }

  void begin() {
    interrupt();
    startTimer(longest);
  }

  private void startTimer(long nanos) {
    timer = vertx.setTimer(nanos / 1_000_000 + 1, fired -> look());
  }

  private void look() {
    long left = longest - (clock.nanoTime() - since);
    if (paused) {
      startTimer(longest);
    } else if (left > 0) {
      startTimer(left);
    } else {
      tooLong.run();
    }
  }

  /** Something has passed. */
  void interrupt() {
    since = clock.nanoTime();
  }

  /** Nothing is expected. */
  void pause() {
    paused = true;
  }

  void resume() {
    paused = false;
    interrupt();
  }

  void end() {
    vertx.cancelTimer(timer);
  }
}
