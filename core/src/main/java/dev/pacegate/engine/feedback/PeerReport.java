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
import dev.pacegate.engine.visit.Clock;
import dev.pacegate.engine.visit.Visit;
import dev.pacegate.engine.visit.VisitStep;
import dev.pacegate.limit.Limit;
import java.time.Duration;
import java.util.List;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/**
 * What the peer says of one request that an engine let through: the step of one visit. It returns
 * how much other clients took.
 */
public final class PeerReport implements VisitStep<Long> {

  /** A longer pause is reported. */
  private static final long LONG = 5_000_000_000L;

  private static final PeerAnswer REFUSED = PeerAnswer.of(PeerVerdict.REFUSED);

  private final Engine engine;
  private final Pools pools;
  private final @Nullable Lane lane; // that the verdict is about; null if that has no effect
  private final @Nullable OpenPermit permit; // null if it does not know its place in the order
  private final PeerAnswer answer;
  private final Backoff backoff;

  private PeerReport(
      Engine engine,
      @Nullable Lane lane,
      @Nullable OpenPermit permit,
      PeerAnswer answer,
      Backoff backoff) {
    this.engine = engine;
    this.pools = engine.state.pools;
    this.lane = lane;
    this.permit = permit;
    this.answer = answer;
    this.backoff = backoff;
  }

  /**
   * Records that the peer refused a request. A new key is not paused if there is no room for it.
   */
  public static void refused(Engine engine, Seat seat, long pause) {
    try (Lane lane = seat.tryHold()) {
      if (lane != null) {
        var report = new PeerReport(engine, lane, null, REFUSED, Backoff.standard());
        engine.run(visit -> report.refused(lane, pause, visit));
      }
    }
  }

  /**
   * Applies an answer to the request of {@code permit} in one visit, or in none if it cannot have
   * an effect. A new key is not paused if there is no room for it.
   *
   * @return how much other clients took that was not known before
   */
  public static long heard(
      Engine engine, Seat seat, Permit permit, PeerAnswer answer, Backoff backoff) {
    OpenPermit own = permit instanceof OpenPermit open && open.isOf(engine) ? open : null;
    boolean counts =
        own != null
            && (!answer.quotas().isEmpty() || tellsTime(answer, engine.state.pools, own.lane));
    boolean judges = answer.verdict() != PeerVerdict.ACCEPTED || backoff.learns();
    try (Lane lane = judges ? seat.tryHold() : null) {
      return lane == null && !counts
          ? 0
          : engine.visit(new PeerReport(engine, lane, own, answer, backoff));
    }
  }

  /** Returns whether an answer has a date, and a limit of {@code lane} has a use for it. */
  private static boolean tellsTime(PeerAnswer answer, Pools pools, Lane lane) {
    return answer.date().isPresent() && pools.followCalendar(lane);
  }

  // ---- inside the gate

  /**
   * The verdict comes first: quotas of plain costs are ignored while a working rate is in force.
   */
  @Override
  public Long apply(Visit visit) {
    if (lane != null) {
      lane.refresh(visit.now);
      if (answer.verdict() == PeerVerdict.ACCEPTED) {
        accepted(lane, visit);
      } else {
        refused(lane, visit);
      }
    }
    return permit == null ? 0 : counted(permit, visit);
  }

  /** A program says that the peer has refused a request of {@code lane}, which is to pause. */
  private void refused(Lane lane, long pause, Visit visit) {
    lane.refresh(visit.now);
    report(lane, new RefusalPause(pause, ""), null, visit);
  }

  /** The peer has refused a request of {@code lane}. */
  private void refused(Lane lane, Visit visit) {
    Pool pool = pools.ownOrWhole(lane);
    PeerMemory memory = PeerMemory.of(pool);
    long startedAt = permit == null ? visit.now : permit.startedAt;
    var refusal = RefusalDetails.of(pool.limit(), answer, startedAt, visit.now);
    WorkingRate rate = backoff.learns() ? memory.learn().about(refusal) : null;
    RefusalPause pause =
        RefusalPause.of(pool.limit(), answer, backoff, rate, memory.streak, visit.now);
    OptionalDouble lowered = null;
    if (backoff.learns() && answer.refused()) {
      lowered = lower(memory, rate, refusal);
    }
    memory.streak.paused(startedAt, visit.now, Clock.later(visit.now, pause.nanos()));
    report(lane, pause, lowered, visit);
  }

  /** Lowers a rate, if there is one; returns what is to be told of it. */
  private static @Nullable OptionalDouble lower(
      PeerMemory memory, @Nullable WorkingRate rate, RefusalDetails refusal) {
    if (rate != null) {
      rate.refused(refusal, memory.streak.hasPausedSince(refusal.now() - rate.interval()));
    }
    return memory.newRate(refusal.now());
  }

  /** Counts a refusal, pauses, and tells both. */
  private void report(Lane lane, RefusalPause pause, @Nullable OptionalDouble rate, Visit visit) {
    Pool pool = pools.ownOrWhole(lane);
    var refusal =
        new RefusedByPeer(
            engine.name,
            pool.limit(),
            answer.verdict(),
            QuotaReconciler.isProven(pool.limit()),
            open(lane),
            QuotaReconciler.left(pool, visit.now),
            Duration.ofNanos(pause.nanos()));
    engine.state.stats.refusedByPeer(lane);
    if (answer.refused() && StatedCounts.tellRefusal(pool)) {
      tellContradiction(pool.limit(), visit);
    }
    PeerNews.LongPause told = pause(lane, answer.verdict(), pause, visit);
    tell(new PeerNews(refusal, told, rate), pool.limit(), visit);
  }

  /** Returns how many permits of {@code lane} are open, if any limit of it minds. */
  private OptionalInt open(Lane lane) {
    if (!pools.ownOrWhole(lane).tracks() && !pools.whole.tracks()) {
      return OptionalInt.empty();
    }
    return OptionalInt.of(lane.own == null ? engine.state.permits.openNow() : lane.open);
  }

  /** Pauses, and returns the pause if it is to be told. */
  private PeerNews.@Nullable LongPause pause(
      Lane lane, PeerVerdict verdict, RefusalPause pause, Visit visit) {
    Pool pool = pools.ownOrWhole(lane);
    long nanos = pause.nanos();
    long until = Clock.later(visit.now, nanos);
    boolean isNews = PeerMemory.of(pool).pausesUntil(until, nanos > LONG, LONG);
    visit.add(() -> engine.reporter.recordPause(PeerNews.reason(verdict), nanos));
    if (lane.own == null) {
      engine.state.queue.pauseUntil(until);
    } else {
      pool.pauseUntil(until);
      engine.state.queue.uncall(lane);
    }
    return isNews ? new PeerNews.LongPause(verdict, pause.source(), nanos) : null;
  }

  /** The peer has accepted a request of {@code lane}. */
  private void accepted(Lane lane, Visit visit) {
    Pool pool = pools.ownOrWhole(lane);
    PeerMemory memory = PeerMemory.of(pool);
    memory.streak.end();
    memory.learn().accepted(visit.now, permit == null ? 1 : permit.cost.amount());
    OptionalDouble told = memory.newRate(visit.now);
    if (told != null) {
      tell(new PeerNews(null, null, told), pool.limit(), visit);
    }
  }

  /** Applies what the answer says of the peer's own count and clock. */
  private long counted(OpenPermit permit, Visit visit) {
    if (answer.verdict() == PeerVerdict.ACCEPTED) { // others may be counted otherwise
      stated(permit, visit);
    }
    long taken = 0;
    for (Quota quota : answer.quotas()) {
      // One that a refusal reports and that names no term may be about any limit of the peer.
      if (answer.verdict() == PeerVerdict.ACCEPTED || QuotaReconciler.isNamed(quota)) {
        taken += counted(permit, quota, visit);
      }
    }
    if (tellsTime(answer, pools, permit.lane)) {
      pools.dated(permit, visit.now, answer.date().orElseThrow());
      engine.state.queue.ready(permit.lane);
    }
    return taken;
  }

  /** Tells what the peer has counted: the request may be over by that. */
  private void stated(OpenPermit permit, Visit visit) {
    Pool pool = pools.ownOrWhole(permit.lane);
    if (StatedCounts.tell(pool, answer, permit, visit.now)) {
      tellContradiction(pool.limit(), visit);
    }
    if (permit.isStated()) {
      engine.state.queue.ready(permit.lane);
    }
  }

  private void tellContradiction(Limit limit, Visit visit) {
    visit.add(() -> new PeerLog(engine.reporter).tellContradiction(limit));
  }

  /**
   * Applies the peer's own count of a quota. It lets nothing more go at once, and a waiter that has
   * been called asks again before it goes. What a source counts is left to it: the peer's count is
   * that of all processes, and what this one may let through is a part.
   */
  private long counted(OpenPermit permit, Quota quota, Visit visit) {
    Pool pool = pools.ownOrWhole(permit.lane);
    WorkingRates rates = pool.pacing() instanceof PeerMemory memory ? memory.rates : null;
    if (rates != null) {
      rates.stated(quota, visit.now);
    }
    if (pool.succession().isShared()
        || (quota.cost().isEmpty() && pool.pacing().restsIn(visit.now) > 0)) {
      return 0;
    }
    QuotaReconciler.Finding finding =
        QuotaReconciler.apply(pool, quota, permit.startedAt, visit.now);
    if (finding.taken() > 0) {
      engine.state.stats.takenByOthers(permit.lane, finding.taken());
    }
    if (finding.pause() > 0 && pool.pacing().pausedUntil() <= visit.now) {
      pauseForQuota(permit, rates, quota, finding.pause(), visit);
    }
    return finding.taken();
  }

  private void pauseForQuota(
      OpenPermit permit, @Nullable WorkingRates rates, Quota quota, long wait, Visit visit) {
    Pool pool = pools.ownOrWhole(permit.lane);
    RefusalPause pause = RefusalPause.untilReset(pool.limit(), quota, wait, backoff);
    if (pause.nanos() == 0) {
      return;
    }
    OptionalDouble lowered = null;
    if (rates != null) {
      PeerAnswer spent = answer.withQuotas(List.of(quota));
      var refusal = RefusalDetails.of(pool.limit(), spent, permit.startedAt, visit.now);
      lowered = lower(PeerMemory.of(pool), rates.about(refusal), refusal);
    }
    PeerNews.LongPause told = pause(permit.lane, PeerVerdict.ACCEPTED, pause, visit);
    tell(new PeerNews(null, told, lowered), pool.limit(), visit);
  }

  private void tell(PeerNews news, Limit limit, Visit visit) {
    visit.add(() -> new PeerLog(engine.reporter).tell(news, limit));
  }
}
