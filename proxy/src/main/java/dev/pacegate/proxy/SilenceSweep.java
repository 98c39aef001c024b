package dev.pacegate.proxy;

import dev.pacegate.time.NanoClock;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Looks once a second at everything that must not be silent for too long: a timer for each request
 * would cost more than the request's other bookkeeping. So what is silent for too long is found at
 * most a second late, and never early. Confined to the event loop.
 */
final class SilenceSweep {

  static final Duration PERIOD = Duration.ofSeconds(1);

  private final Vertx vertx;
  private final NanoClock clock;
  private final List<Silence> watched = new ArrayList<>(); // in any order
  private boolean running;

  SilenceSweep(Vertx vertx, NanoClock clock) {
    this.vertx = vertx;
    this.clock = clock;
  }

  long now() {
    return clock.nanoTime();
  }

  /** Returns the place of what is watched from now on. */
  int add(Silence begun) {
    watched.add(begun);
    if (!running) {
      await();
    }
    return watched.size() - 1;
  }

  /** The last one takes the place that becomes free. */
  void remove(int place) {
    Silence last = watched.remove(watched.size() - 1);
    if (place < watched.size()) {
      watched.set(place, last);
      last.moved(place);
    }
  }

  /** Nothing runs while nothing is watched. */
  private void await() {
    running = false; // also if no timer can be set
    if (!watched.isEmpty()) {
      vertx.setTimer(PERIOD.toMillis(), due -> sweep());
      running = true;
    }
  }

  private void sweep() {
    try {
      long now = now();
      for (Silence late : watched.stream().filter(silence -> silence.isTooLong(now)).toList()) {
        vertx.runOnContext(next -> late.tell()); // one that fails must not keep others from it
      }
    } finally {
      await(); // too little memory now must not end all watching
    }
  }
}
