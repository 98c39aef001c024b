package dev.pacegate;

import dev.pacegate.time.ManualTime;

/** Limiters on virtual time. */
abstract class LimitersOnManualTime {

  final ManualTime time = ManualTime.manual();

  Limiter limiter(String limit) {
    return Limiter.builder(limit).time(time).executor(Runnable::run).build();
  }

  static int taken(Limiter limiter) {
    int taken = 0;
    while (limiter.tryAcquire().isPresent()) {
      taken++;
    }
    return taken;
  }
}
