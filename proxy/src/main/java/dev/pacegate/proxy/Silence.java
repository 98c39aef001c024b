package dev.pacegate.proxy;

import java.time.Duration;

/**
 * Runs a task once nothing has passed for too long. A part that passes costs a look at the clock.
 * Confined to the event loop.
 */
final class Silence {

  private static final int NONE = -1;

  private final SilenceSweep sweep;
  private final long longest;
  private final Runnable tooLong;
  private long since;
  private int place = NONE; // in the sweep
  private boolean paused;

  Silence(SilenceSweep sweep, Duration longest, Runnable tooLong) {
    this.sweep = sweep;
    this.longest = longest.toNanos();
    this.tooLong = tooLong;
  }

  void begin() {
    interrupt();
    if (place == NONE) {
      place = sweep.add(this);
    }
  }

  /** Something has passed. */
  void interrupt() {
    since = sweep.now();
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
    if (place != NONE) {
      sweep.remove(place);
      place = NONE;
    }
  }

  void moved(int place) {
    this.place = place;
  }

  boolean isTooLong(long now) {
    return !paused && now - since >= longest;
  }

  /** Ends, unless something has changed since the sweep. */
  void tell() {
    if (place != NONE && isTooLong(sweep.now())) {
      end();
      tooLong.run();
    }
  }
}
