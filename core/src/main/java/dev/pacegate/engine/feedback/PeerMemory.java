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

  /** What the peer accepts; null if no request has been heard of. */
  @Nullable WorkingRates rates;

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

  /** Returns the working rates, made when needed. */
  WorkingRates learn() {
    if (rates == null) {
      rates = WorkingRates.of(pool.limit());
    }
    return rates;
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
    return rates == null ? 0 : rates.nanosUntil(now, ahead);
  }

  @Override
  public long atLeast(long now) {
    return nanosUntil(now, Cost.none());
  }

  @Override
  public void release(long now, Cost cost) {
    if (rates != null) {
      rates.release(now, cost);
    }
  }

  @Override
  public long restsIn(long now) {
    return rates == null ? 0 : rates.restsIn(now);
  }

  @Override
  public OptionalDouble perSecond(long now) {
    return rates == null ? OptionalDouble.empty() : rates.perSecond(now);
  }

  @Override
  public Runnable changing(Limit next, long now) {
    WorkingRates followers = rates == null ? null : rates.under(next, now);
    return () -> rates = followers;
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
