package dev.pacegate.engine.feedback;

import dev.pacegate.engine.Pacing;
import dev.pacegate.engine.Pool;
import dev.pacegate.limit.Cost;
import dev.pacegate.limit.Limit;
import java.util.OptionalDouble;
import org.jspecify.annotations.Nullable;

/** What a pool keeps of what the peer has said. Guarded by the gate. */
final class PeerMemory implements Pacing {

  private final Pool pool;

  /** When the longest pause ends that an answer of the peer has begun. */
  private long pausedUntil;

  /** When the longest pause ends that was reported. */
  private long toldUntil;

  final RefusalStreak streak = new RefusalStreak();

  /** What the peer accepts; null if no request has been heard of, or the limit bounds no rate. */
  @Nullable WorkingRate rate;

  /** Whether it was reported last that a working rate is in force. */
  private boolean isRateTold;

  private PeerMemory(Pool pool) {
    this.pool = pool;
  }

  /** Returns that of {@code pool}, made when first needed. */
  static PeerMemory of(Pool pool) {
    if (pool.pacing() instanceof PeerMemory known) {
      return known;
    }
    var made = new PeerMemory(pool);
    pool.paceBy(made);
    return made;
  }

  /** Returns the working rate, made when needed; null if the limit bounds no rate. */
  @Nullable WorkingRate learn() {
    if (rate == null) {
      rate = WorkingRate.of(pool.limit());
    }
    return rate;
  }

  /** Returns the working rate, or that none is in force, if that is news; else null. */
  @Nullable OptionalDouble newRate(long now) {
    OptionalDouble inForce = perSecond(now);
    if (inForce.isPresent() == isRateTold) {
      return null; // a new limit may have none
    }
    isRateTold = inForce.isPresent();
    return inForce;
  }

  /** Records a pause; returns true for the first long one of a burst of refusals. */
  boolean pausesUntil(long instant, boolean isLong, long atLeast) {
    boolean news = isLong && instant - toldUntil > atLeast;
    toldUntil = news ? instant : toldUntil;
    pausedUntil = Math.max(pausedUntil, instant);
    return news;
  }

  // ---- pacing

  @Override
  public long nanosUntil(long now, Cost ahead) {
    return rate == null ? 0 : rate.pace().nanosUntil(now, ahead);
  }

  @Override
  public long atLeast(long now) {
    return nanosUntil(now, Cost.none());
  }

  @Override
  public void release(long now, Cost cost) {
    if (rate != null) {
      rate.pace().release(now, cost);
    }
  }

  @Override
  public long restsIn(long now) {
    return rate == null ? 0 : rate.pace().restsIn(now);
  }

  @Override
  public OptionalDouble perSecond(long now) {
    return rate != null && restsIn(now) > 0
        ? OptionalDouble.of(rate.perSecond(now))
        : OptionalDouble.empty();
  }

  @Override
  public Runnable changing(Limit next, long now) {
    WorkingRate follower = rate == null ? null : rate.under(next, now);
    return () -> rate = follower;
  }

  @Override
  public long pausedUntil() {
    return pausedUntil;
  }

  @Override
  public void resumed() {
    pausedUntil = 0;
    toldUntil = 0;
  }
}
