package dev.pacegate.engine.feedback;

import dev.pacegate.Backoff;
import dev.pacegate.PeerAnswer;
import dev.pacegate.PeerVerdict;
import dev.pacegate.Permit;
import dev.pacegate.Quota;
import dev.pacegate.engine.Engine;
import dev.pacegate.engine.Lane;
import dev.pacegate.engine.OpenPermit;
import dev.pacegate.engine.Pool;
import dev.pacegate.engine.Pools;
import dev.pacegate.engine.Seat;
import dev.pacegate.engine.StatsCounter;
import dev.pacegate.engine.WaitQueue;
import dev.pacegate.engine.visit.Clock;
import dev.pacegate.engine.visit.Visit;
import dev.pacegate.limit.Limit;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/** What the peer says of requests that an engine let through. Thread-safe. */
public final class PeerReports {

  /** A longer pause is reported. */
  private static final long LONG = 5_000_000_000L;

  private final Engine engine;
  private final Pools pools;
  private final WaitQueue queue;
  private final StatsCounter stats;

  /** Made when needed, as most engines get no reports. */
  public PeerReports(Engine engine) {
    this.engine = engine;
    this.pools = engine.state.pools;
    this.queue = engine.state.queue;
    this.stats = engine.state.stats;
  }

  /**
   * Records that the peer refused a request. A new key is not paused if there is no room for it.
   */
  public void refused(Seat seat, long pause) {
    try (Lane lane = seat.tryHold()) {
      if (lane != null) {
        engine.run(visit -> refused(lane, pause, visit));
      }
    }
  }

  /** Records that the peer refused the request of {@code permit}. */
  public void refused(Seat seat, Permit permit, PeerAnswer answer, Backoff backoff) {
    try (Lane lane = seat.tryHold()) {
      if (lane != null) {
        engine.run(visit -> refused(lane, own(permit), answer, backoff, visit));
      }
    }
  }

  /** Records that the peer accepted the request of {@code permit}. */
  public void accepted(Seat seat, Permit permit) {
    try (Lane lane = seat.tryHold()) {
      if (lane != null) {
        engine.run(visit -> accepted(lane, own(permit), visit));
      }
    }
  }

  /**
   * Returns how much other clients took; 0 for a permit that does not know its place in the order.
   */
  public long counted(Permit permit, Quota quota) {
    OpenPermit own = own(permit);
    return own == null ? 0 : engine.visit(visit -> counted(own, quota, visit));
  }

  /** Records the time of the peer's clock as it answered. */
  public void dated(Permit permit, Instant date) {
    OpenPermit own = own(permit);
    if (own != null) {
      engine.run(visit -> dated(own, date, visit));
    }
  }

  private @Nullable OpenPermit own(Permit permit) {
    return permit instanceof OpenPermit open && open.isOf(engine) ? open : null;
  }

  // ---- inside the gate

  /** The peer has refused a request of {@code lane}, which is to pause. */
  private void refused(Lane lane, long pause, Visit visit) {
    lane.refresh(visit.now);
    refused(lane, PeerVerdict.REFUSED, new RefusalPause(pause, ""), null, visit);
  }

  /**
   * The peer has refused a request of {@code lane}.
   *
   * @param permit its permit; null if it is one that needs no end
   */
  private void refused(
      Lane lane, @Nullable OpenPermit permit, PeerAnswer answer, Backoff backoff, Visit visit) {
    lane.refresh(visit.now);
    Pool known = pools.known(lane);
    PeerMemory memory = PeerMemory.of(known);
    WorkingRate rate = backoff.learns() ? memory.learn() : null;
    long startedAt = permit == null ? visit.now : permit.startedAt;
    RefusalPause pause = RefusalPause.of(known.limit(), answer, backoff, memory);
    OptionalDouble lowered = null;
    if (rate != null && answer.refused()) {
      lowered = lower(known, rate, startedAt, answer.quotas(), visit);
    }
    memory.row.paused(startedAt, Clock.later(visit.now, pause.nanos()));
    refused(lane, answer.verdict(), pause, lowered, visit);
  }

  /**
   * Lowers the rate, unless quotas that are used up say that another term is meant; returns what is
   * to be told of it.
   */
  private @Nullable OptionalDouble lower(
      Pool known, WorkingRate rate, long startedAt, List<Quota> quotas, Visit visit) {
    List<Quota> usedUp = quotas.stream().filter(QuotaReconciler::isUsedUp).toList();
    List<Quota> ours =
        usedUp.stream()
            .filter(quota -> QuotaReconciler.isAbout(known.limit(), rate, quota))
            .toList();
    if (usedUp.isEmpty() || !ours.isEmpty()) {
      boolean wasPaused = PeerMemory.of(known).row.hasPausedSince(visit.now - rate.interval());
      rate.refused(startedAt, visit.now, wasPaused, QuotaReconciler.stating(ours));
    }
    return PeerMemory.of(known).newRate(visit.now);
  }

  private void refused(
      Lane lane,
      PeerVerdict verdict,
      RefusalPause pause,
      @Nullable OptionalDouble rate,
      Visit visit) {
    Pool known = pools.known(lane);
    var refusal =
        new RefusedByPeer(
            engine.name,
            known.limit(),
            verdict,
            QuotaReconciler.isProven(known.limit()),
            open(lane),
            QuotaReconciler.left(known, visit.now),
            Duration.ofNanos(pause.nanos()));
    stats.refusedByPeer(lane);
    PeerNews.LongPause told = pause(lane, verdict, pause.source(), pause.nanos(), visit);
    tell(new PeerNews(refusal, told, rate), known.limit(), visit);
  }

  /** Returns how many permits of {@code lane} are open, if any limit of it minds. */
  private OptionalInt open(Lane lane) {
    if (!pools.known(lane).tracks() && !pools.whole.tracks()) {
      return OptionalInt.empty();
    }
    return OptionalInt.of(lane.own == null ? engine.state.permits.openNow() : lane.open);
  }

  /** Pauses, and returns the pause if it is to be told. */
  private PeerNews.@Nullable LongPause pause(
      Lane lane, PeerVerdict verdict, String source, long pause, Visit visit) {
    Pool known = pools.known(lane);
    long until = Clock.later(visit.now, pause);
    boolean isNews = PeerMemory.of(known).pausesUntil(until, pause > LONG, LONG);
    visit.add(() -> engine.reporter.recordPause(PeerNews.reason(verdict), pause));
    if (lane.own == null) {
      queue.pauseUntil(until);
    } else {
      known.pauseUntil(until);
      queue.uncall(lane);
    }
    return isNews ? new PeerNews.LongPause(verdict, source, pause) : null;
  }

  /** The peer has accepted a request of {@code lane}. */
  private void accepted(Lane lane, @Nullable OpenPermit permit, Visit visit) {
    lane.refresh(visit.now);
    Pool known = pools.known(lane);
    PeerMemory memory = PeerMemory.of(known);
    WorkingRate rate = memory.learn();
    memory.row.end();
    if (rate != null) {
      rate.accepted(visit.now, permit == null ? 1 : permit.cost.amount());
    }
    OptionalDouble told = memory.newRate(visit.now);
    if (told != null) {
      tell(new PeerNews(null, null, told), known.limit(), visit);
    }
  }

  /**
   * Applies the peer's own count, from its answer to a request. It lets nothing more go at once,
   * and a waiter that has been called asks again before it goes. What a source counts is left to
   * it: the peer's count is that of all processes, and what this one may let through is a part.
   */
  private long counted(OpenPermit permit, Quota quota, Visit visit) {
    Pool known = pools.known(permit.lane);
    WorkingRate rate = known.pacing() instanceof PeerMemory memory ? memory.rate : null;
    if (rate != null) {
      rate.stated(quota, visit.now);
    }
    if (known.succession().isShared()
        || (quota.cost().isEmpty() && known.pacing().restsIn(visit.now) > 0)) {
      return 0;
    }
    QuotaReconciler.Finding finding =
        QuotaReconciler.apply(known, quota, permit.startedAt, visit.now);
    if (finding.taken() > 0) {
      stats.takenByOthers(permit.lane, finding.taken());
    }
    if (finding.pause() > 0 && known.pacing().pausedUntil() <= visit.now) {
      pauseForQuota(permit, rate, quota, finding.pause(), visit);
    }
    return finding.taken();
  }

  private void pauseForQuota(
      OpenPermit permit, @Nullable WorkingRate rate, Quota quota, long wait, Visit visit) {
    Pool known = pools.known(permit.lane);
    OptionalDouble lowered =
        rate == null ? null : lower(known, rate, permit.startedAt, List.of(quota), visit);
    PeerNews.LongPause told =
        pause(
            permit.lane,
            PeerVerdict.ACCEPTED,
            RefusalPause.source(quota),
            Math.min(wait, RefusalPause.longest(known.limit())),
            visit);
    tell(new PeerNews(null, told, lowered), known.limit(), visit);
  }

  private void tell(PeerNews news, Limit limit, Visit visit) {
    visit.add(() -> new PeerLog(engine.reporter).tell(news, limit));
  }

  /** The peer has said what time it was when it answered. */
  private void dated(OpenPermit permit, Instant date, Visit visit) {
    pools.dated(permit, visit.now, date);
    queue.expect(permit.lane);
  }
}
