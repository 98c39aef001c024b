package dev.pacegate.limiter;

import dev.pacegate.Limiter;
import dev.pacegate.time.ManualTime;

/** Limiters on virtual time. */
public abstract class LimitersOnManualTime {

  protected final ManualTime time = ManualTime.manual();

  protected Limiter limiter(String limit) {
    return Limiter.builder(limit).time(time).executor(Runnable::run).build();
  }

  public static int taken(Limiter limiter) {
    int taken = 0;
    while (limiter.tryAcquire().isPresent()) {
      taken++;
    }
    return taken;
  }
}
