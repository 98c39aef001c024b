package dev.pacegate.engine;

import static java.util.Objects.requireNonNull;

import dev.pacegate.history.Succession;
import dev.pacegate.limit.Cost;
import dev.pacegate.limit.Limit;
import dev.pacegate.limit.Outcome;
import dev.pacegate.limit.Portion;
import dev.pacegate.limit.spi.Meter;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * All pools of a limiter. Every request draws from the whole, from its lane's own pool if there is
 * one, and from those of the groups around its lane. If lanes have reserved shares it also draws
 * from its lane's share or, if that has not enough, from the common rest. Guarded by the gate.
 */
public final class Pools {

  /** A limit and the parts of it that lanes have. */
  public record Shares(Limit whole, @Nullable Limit common, List<Limit> reserved) {}

  public final Pool whole;
  final @Nullable Pool common;
  private final List<Lane> reserving;

  /**
   * Creates the pools of {@code limit}, of which some of {@code lanes} have reserved shares.
   *
   * @param ofWhole where the meters of the whole come from
   */
  Pools(Limit limit, List<Lane> lanes, InstantSource timeOfDay, Succession ofWhole) {
    var reserving = new ArrayList<Lane>();
    for (Lane lane : lanes) {
      if (lane.reserve() != null) {
        reserving.add(lane);
      }
    }
    this.reserving = List.copyOf(reserving);
    this.whole = new Pool(limit, 0, timeOfDay, ofWhole);
    Limit rest = shares(limit).common();
    this.common = rest == null ? null : new Pool(rest, 0, timeOfDay, Succession.PLAIN);
  }

  Limit limit() {
    return whole.limit();
  }

  /** Returns why a source refuses all requests of {@code lane}; null if none does. */
  @Nullable String unavailable(Lane lane) {
    String why = whole.succession().unavailable();
    return why != null || lane.own == null ? why : lane.own.succession().unavailable();
  }

  /** Notes the cost of a request of {@code lane} that was refused, as it did not wait. */
  void refused(Lane lane, Cost cost) {
    whole.succession().refused(cost);
    if (lane.own != null) {
      lane.own.succession().refused(cost);
    }
  }

  /**
   * Returns the parts of {@code limit} that lanes have. Needs no gate.
   *
   * @throws IllegalArgumentException if a part would be less than one permit, or the limit is not
   *     sound
   */
  public Shares shares(Limit limit) {
    LimitCheck.sample(limit);
    if (reserving.isEmpty()) {
      return new Shares(limit, null, List.of());
    }
    var portions = reserving.stream().map(lane -> Portion.of(lane.standing.percent())).toList();
    List<Limit> reserved = portions.stream().map(limit::share).toList();
    return new Shares(limit, limit.share(Portion.beyond(portions)), reserved);
  }

  // ---- asking

  /** Returns the wait of a request without competitors. */
  long nanosUntil(Lane lane, long since, long now, Cost cost) {
    return nanosUntil(lane, false, since, now, cost);
  }

  /**
   * Returns the wait of a request alone or, {@code behindCalled}, together with all waiters called
   * to the same pools.
   */
  long nanosUntil(Lane lane, boolean behindCalled, long since, long now, Cost cost) {
    long wait = whole.nanosUntil(behindCalled, since, now, cost);
    if (lane.own != null) {
      wait = Math.max(wait, lane.own.nanosUntil(behindCalled, since, now, cost));
    }
    for (Lane group : lane.around) {
      wait = Math.max(wait, group.pool().nanosUntil(behindCalled, since, now, cost));
    }
    if (common == null) {
      return wait;
    }
    long shared = common.nanosUntil(behindCalled, since, now, cost);
    if (lane.reserve() != null && shared > 0) {
      shared = Math.min(shared, lane.reserve().nanosUntil(behindCalled, since, now, cost));
    }
    return Math.max(wait, shared);
  }

  /**
   * Returns whether a request can pass only if it has been the first that waits, as one that costs
   * more than a bucket holds.
   */
  private boolean needsQueue(Lane lane, Cost cost) {
    boolean needs =
        LimitCheck.needsQueue(whole.limit(), cost)
            || (lane.own != null && LimitCheck.needsQueue(lane.own.limit(), cost));
    for (int i = 0; i < lane.around.length && !needs; i++) {
      needs = LimitCheck.needsQueue(lane.around[i].pool().limit(), cost);
    }
    return needs;
  }

  /** Returns why a request that does not wait is refused. */
  Refusal refusal(Waiter waiter) {
    return needsQueue(waiter.lane, waiter.cost) ? Refusal.NEEDS_QUEUE : Refusal.WAIT_TOO_LONG;
  }

  /** Returns whether more than a count must be kept of a refusal. */
  boolean mustVisit(Lane lane, Cost cost, AcquireMode mode, long now) {
    return hasUntoldLoss(lane, now) || (mode == AcquireMode.TRY && needsQueue(lane, cost));
  }

  /**
   * Returns a lower bound of the wait in {@code lane}. Only the lane's own waiters are known to go
   * before; if there is a choice of pools, not even from which pool.
   */
  long atLeast(Lane lane, long since, long now, Cost cost) {
    long wait = whole.atLeast(since, now, lane.all(), cost);
    if (lane.own != null) {
      wait = Math.max(wait, lane.own.atLeast(since, now, lane.all(), cost));
    }
    for (Lane group : lane.around) {
      wait = Math.max(wait, group.pool().atLeast(since, now, lane.all(), cost));
    }
    if (common == null) {
      return wait;
    }
    long shared = common.atLeast(since, now, Cost.none(), cost);
    if (lane.reserve() != null) {
      shared = Math.min(shared, lane.reserve().atLeast(since, now, Cost.none(), cost));
    }
    return Math.max(wait, shared);
  }

  /** Returns whether losses of the pools of {@code lane} must be reported. */
  private boolean hasUntoldLoss(Lane lane, long now) {
    boolean has = whole.hasUntoldLoss(now) || (lane.own != null && lane.own.hasUntoldLoss(now));
    for (int i = 0; i < lane.around.length && !has; i++) {
      has = lane.around[i].pool().hasUntoldLoss(now);
    }
    return has;
  }

  // ---- calling

  /** Records that a waiter was called to draw from {@code second}, if that is not null. */
  void call(Waiter waiter, @Nullable Pool second) {
    whole.call(waiter.cost);
    if (waiter.lane.own != null) {
      waiter.lane.own.call(waiter.cost);
    }
    for (Lane group : waiter.lane.around) {
      group.pool().call(waiter.cost);
    }
    if (second != null) {
      second.call(waiter.cost);
    }
    waiter.calledTo = second;
  }

  /** Takes back a call; false if all calls must be taken back. */
  boolean uncall(Waiter waiter) {
    Pool own = waiter.lane.own;
    Pool second = waiter.calledTo;
    boolean taken =
        whole.uncall(waiter.cost)
            && (own == null || own.uncall(waiter.cost))
            && (second == null || second.uncall(waiter.cost));
    for (int i = 0; i < waiter.lane.around.length && taken; i++) {
      taken = waiter.lane.around[i].pool().uncall(waiter.cost);
    }
    return taken;
  }

  /** Takes back all calls, but for those to {@linkplain #uncallAll(Lane) pools of lanes}. */
  void uncallAll() {
    whole.uncallAll();
    if (common != null) {
      common.uncallAll();
    }
    for (Lane lane : reserving) {
      requireNonNull(lane.reserve()).uncallAll();
    }
  }

  /** Takes back all calls to a lane's own pool, and to those of its groups. */
  static void uncallAll(Lane lane) {
    if (lane.own != null) {
      lane.own.uncallAll();
    }
    for (Lane group : lane.around) {
      group.pool().uncallAll();
    }
  }

  // ---- drawing

  /**
   * Returns the pool that the peer's reports for {@code lane} are about: its key's, or the whole.
   */
  public Pool ownOrWhole(Lane lane) {
    return lane.own == null ? whole : lane.own;
  }

  /**
   * Returns the second pool of a request that can go: its lane's reserved share if that has enough,
   * otherwise the common rest; null if nothing is reserved.
   */
  @Nullable Pool secondPool(Lane lane, boolean behindCalled, long since, long now, Cost cost) {
    Pool reserve = lane.reserve();
    boolean reserved = reserve != null && reserve.nanosUntil(behindCalled, since, now, cost) == 0;
    return reserved ? reserve : common;
  }

  /** Returns the second pool of a waiter: the one it was called to, if that still has enough. */
  @Nullable Pool secondPool(Waiter waiter, long now) {
    Pool calledTo = waiter.calledTo;
    if (waiter.state != Waiter.State.CALLED) {
      return secondPool(waiter.lane, true, waiter.since, now, waiter.cost);
    }
    return calledTo == null || calledTo.nanosUntil(false, waiter.since, now, waiter.cost) == 0
        ? calledTo
        : secondPool(waiter.lane, false, waiter.since, now, waiter.cost);
  }

  void release(Lane lane, @Nullable Pool second, long since, long now, Cost cost) {
    whole.release(since, now, cost);
    if (lane.own != null) {
      lane.own.release(since, now, cost);
    }
    for (Lane group : lane.around) {
      group.pool().release(since, now, cost);
    }
    if (second != null) {
      second.release(since, now, cost);
    }
  }

  /**
   * Passes {@code action} each pool that a permit was drawn from; {@code lane} is its lane, or the
   * key's present one.
   */
  void forEach(OpenEntry permit, Lane lane, Consumer<? super Pool> action) {
    action.accept(whole);
    if (lane.own != null) {
      action.accept(lane.own);
    }
    for (Lane group : lane.around) {
      action.accept(group.pool());
    }
    Pool second = permit.drawnFrom();
    if (second != null) {
      action.accept(second);
    }
  }

  /** Returns whether a limit of {@code lane} counts from the instant of sending. */
  boolean countSendings(Lane lane) {
    boolean count = whole.countsSendings() || (lane.own != null && lane.own.countsSendings());
    for (int i = 0; i < lane.around.length && !count; i++) {
      count = lane.around[i].pool().countsSendings();
    }
    return count;
  }

  /**
   * Returns whether a limit of {@code lane} follows the calendar. Needs no gate: it may be the
   * limit of just before or after a change.
   */
  public boolean followCalendar(Lane lane) {
    boolean follow = whole.followsCalendar() || (lane.own != null && lane.own.followsCalendar());
    for (int i = 0; i < lane.around.length && !follow; i++) {
      follow = lane.around[i].pool().followsCalendar();
    }
    return follow;
  }

  /** Tells that an open request is sent only now. */
  void sent(OpenEntry permit, long now) {
    forEach(permit, permit.lane, pool -> pool.meter().sent(permit.chargedAt(), now, permit.cost));
  }

  /** Charges limits of starts again, as the request of {@code permit} only starts now. */
  void startsLate(OpenEntry permit, Lane lane, long now) {
    forEach(permit, lane, pool -> pool.meter().startsLate(now, permit.cost));
  }

  public void dated(OpenEntry permit, long now, Instant date) {
    forEach(permit, permit.lane, pool -> pool.meter().dated(permit.startedAt, now, date));
  }

  void settle(OpenEntry permit, Lane lane, long now, Cost charged, Cost actual) {
    forEach(permit, lane, pool -> settle(pool, permit, now, charged, actual));
  }

  private static void settle(Pool pool, OpenEntry permit, long now, Cost charged, Cost actual) {
    if (!pool.tracks() || !permit.needsNoEnd) {
      if (permit.needsNoEnd && permit.startedAt != permit.chargedAt()) {
        pool.succession().settlesLate(permit.startedAt, now, charged, actual);
      }
      long releasedAt = permit.needsNoEnd ? permit.chargedAt() : permit.startedAt;
      pool.meter().settle(releasedAt, permit.chargedAt(), now, charged, actual);
      return;
    }
    lose(pool.meter(), now, actual.beyond(charged));
  }

  /**
   * Charges a missing amount that no open permit stands for, as the limit needed no end when the
   * request was released. An amount charged too much stays charged.
   */
  private static void lose(Meter meter, long now, Cost missing) {
    meter.release(now, now, missing);
    meter.end(now, now, missing, Outcome.LOST);
  }

  void end(OpenEntry permit, long now, Outcome outcome) {
    end(whole, permit, now, outcome);
    end(permit.lane.own, permit, now, outcome);
    for (Lane group : permit.lane.around) {
      end(group.pool(), permit, now, outcome);
    }
    end(permit.drawnFrom(), permit, now, outcome);
  }

  private static void end(@Nullable Pool pool, OpenEntry permit, long now, Outcome outcome) {
    if (pool != null && pool.mindsEnds()) {
      pool.end(permit.chargedAt(), now, permit.cost, outcome);
    }
  }

  // ---- changing

  void prepare(LimitChange change, Shares next) {
    change.prepare(whole, next.whole());
    if (common != null && next.common() != null) {
      change.prepare(common, next.common());
    }
    Iterator<Limit> shares = next.reserved().iterator();
    for (Lane lane : reserving) {
      change.prepare(requireNonNull(lane.reserve()), shares.next());
    }
  }
}
