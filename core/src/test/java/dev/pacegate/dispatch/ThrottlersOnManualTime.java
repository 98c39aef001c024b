package dev.pacegate.dispatch;

import dev.pacegate.Limiter;
import dev.pacegate.time.ManualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** Throttlers on virtual time, and what becomes of their messages. */
abstract class ThrottlersOnManualTime {

  static final Duration SECOND = Duration.ofSeconds(1);
  final ManualTime time = ManualTime.manual();
  final List<String> delivered = Collections.synchronizedList(new ArrayList<>());
  final List<String> failed = Collections.synchronizedList(new ArrayList<>());
  final List<String> marked = Collections.synchronizedList(new ArrayList<>());
  final List<String> dropped = Collections.synchronizedList(new ArrayList<>());

  /** The throttler that callbacks use. */
  Throttler<String> shared = direct(limiter("unlimited")).build();

  Limiter limiter(String limit) {
    return Limiter.builder(limit).time(time).executor(Runnable::run).build();
  }

  /** Delivers on the thread that happens to be there. */
  Throttler.Builder<String> direct(Limiter limiter) {
    return pooled(limiter).executor(Runnable::run);
  }

  Throttler.Builder<String> pooled(Limiter limiter) {
    return Throttler.<String>builder(limiter)
        .onDrop(dropped::add)
        .onFailure((message, failure) -> failed.add(message + " " + failure.getClass()));
  }

  static void sendAll(Throttler<String> throttler, String... messages) throws InterruptedException {
    for (String message : messages) {
      throttler.send(message);
    }
  }

  static int free(Limiter limiter) {
    int free = 0;
    while (limiter.tryAcquire().isPresent()) {
      free++;
    }
    return free;
  }
}
