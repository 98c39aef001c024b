package dev.pacegate.redis;

import dev.pacegate.time.Time;
import java.time.Instant;

/**
 * Notices that this machine was suspended. Its own clock stands meanwhile, so what was leased for a
 * span of it seems to be usable for longer; the time of day goes on. So it does if it is set
 * forward: that is taken for a suspension, which costs some units and no more.
 *
 * <p>The two run apart by a thousandth at most, unless one of them stands or is set. Not
 * thread-safe: the limiter's gate guards it.
 */
final class Standstill {

  /**
   * For how long it believes what it has seen: a suspension within this time of a look is noticed
   * by the next. A thread may be suspended as well between its permit and its request.
   */
  private static final long LOOK = 100_000;

  private static final int TRIES = 3;

  private final Time time;
  private long nextLook; // by the limiter's clock, whose origin is its own
  private long lookedAt;
  private long lead; // of the time of day
  private long ahead; // by how much it has run away

  Standstill(Time time, long now) {
    this.time = time;
    this.nextLook = now;
    this.lead = look();
  }

  /**
   * Returns for how long the machine stood still, if that is more than {@code least}; otherwise 0.
   * It is told once.
   *
   * @param now by the limiter's clock
   */
  long since(long now, long least) {
    if (now - nextLook < 0) {
      return 0;
    }
    nextLook = now + LOOK;
    return judge(least);
  }

  private long judge(long least) {
    long before = lookedAt;
    long leadBefore = lead;
    lead = look();
    ahead = Math.max(0, ahead + (lead - leadBefore) - (lookedAt - before) / 1000);
    if (ahead <= least) {
      return 0;
    }
    long stood = ahead;
    ahead = 0;
    return stood;
  }

  /** Reads both clocks with little between; if there is much it counts as a suspension. */
  private long look() {
    for (int i = 1; ; i++) {
      lookedAt = time.nanoTime();
      Instant day = time.instant();
      if (i == TRIES || time.nanoTime() - lookedAt < LOOK) {
        return day.getEpochSecond() * 1_000_000_000 + day.getNano() - lookedAt;
      }
    }
  }
}
