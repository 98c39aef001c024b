package dev.pacegate.engine;

import dev.pacegate.Quota;
import java.time.Duration;
import java.time.Instant;

/** What the peer says of requests that were let through. Guarded by the gate. */
final class PeerReports {

  private final String name;
  private final Pools pools;
  private final PermitLedger permits;
  private final WaitQueue queue;
  private final StatsCounter stats;

  PeerReports(String name, Pools pools, PermitLedger permits, WaitQueue queue, StatsCounter stats) {
    this.name = name;
    this.pools = pools;
    this.permits = permits;
    this.queue = queue;
    this.stats = stats;
  }

  /** The peer has refused a request of {@code lane}, which is to pause. */
  void refused(Lane lane, long pause, Visit visit) {
    lane.refresh(visit.now);
    Pool known = pools.known(lane);
    var refusal =
        new RefusedByPeer(
            name,
            known.limit(),
            QuotaReconciler.isProven(known.limit()),
            lane.own == null ? permits.openNow() : lane.open,
            QuotaReconciler.of(known.meter(), visit.now),
            Duration.ofNanos(pause));
    stats.tellPeerRefused(refusal, visit);
    long until = Clock.later(visit.now, pause);
    if (lane.own == null) {
      queue.pauseUntil(until);
    } else {
      known.pauseUntil(until);
      queue.uncall(lane);
    }
  }

  /**
   * Applies the peer's own count, from its answer to a request. It makes no request go sooner, and
   * a waiter that has been called asks again before it goes. What a source counts is left to it:
   * the peer's count is that of all processes, and what this one may let through is a part.
   */
  long counted(OpenPermit permit, Quota quota, Visit visit) {
    Pool known = pools.known(permit.lane);
    if (known.feed() != null) {
      return 0;
    }
    long later = known.spent() - permit.mark;
    long taken = QuotaReconciler.apply(known, quota, permit.startedAt, later, visit.now);
    if (taken > 0) {
      stats.takenByOthers(taken);
    }
    return taken;
  }

  /** The peer has said what time it was when it answered. */
  void dated(OpenPermit permit, Instant date, Visit visit) {
    pools.dated(permit, visit.now, date);
    queue.expect(permit.lane);
  }
}
