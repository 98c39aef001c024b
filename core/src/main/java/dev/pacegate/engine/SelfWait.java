package dev.pacegate.engine;

import dev.pacegate.limit.Cost;
import dev.pacegate.limit.spi.Meter;
import dev.pacegate.result.HeldPermits;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Tells whether a thread would wait for itself: it runs jobs whose permits end after them, and asks
 * for another that cannot be had before one of these ends. Guarded by the gate.
 *
 * <p>Says so only when it is certain, whatever other requests do: even a fresh meter that holds
 * just this thread's permits would wait for one to end.
 */
final class SelfWait {

  private SelfWait() {}

  /** Returns the permits of {@code owner} that this thread's jobs hold. Needs no gate. */
  static List<OpenPermit> held(OpenPermit.Owner owner) {
    var held = new ArrayList<OpenPermit>();
    for (HeldPermits.JobPermit each : HeldPermits.here()) {
      if (each instanceof OpenPermit permit && permit.isOf(owner)) {
        held.add(permit);
      }
    }
    return held;
  }

  /** Returns whether {@code waiter} waits for one of {@code held}, its own thread's permits. */
  static boolean isCertain(EngineState state, Waiter waiter, List<OpenPermit> held, long now) {
    Lane lane = waiter.lane;
    Pools pools = state.pools;
    if (waiter.state != Waiter.State.WAITING
        || state.queue.isObserving()
        || state.permits.abandons(lane)) {
      return false; // the permit is there, or comes with time
    }
    return waits(pools.whole, held, permit -> true, waiter.cost, now)
        || waits(lane.own, held, permit -> permit.lane.isIn(lane), waiter.cost, now)
        || waitsForGroup(lane, held, waiter.cost, now)
        || waitsForShare(pools, lane, held, waiter.cost, now);
  }

  private static boolean waitsForGroup(Lane lane, List<OpenPermit> held, Cost cost, long now) {
    boolean waits = false;
    for (int i = 0; i < lane.around.length && !waits; i++) {
      Lane group = lane.around[i];
      waits = waits(group.own, held, permit -> permit.lane.isIn(group), cost, now);
    }
    return waits;
  }

  /** A request draws from its lane's reserved share or from the common rest. */
  private static boolean waitsForShare(
      Pools pools, Lane lane, List<OpenPermit> held, Cost cost, long now) {
    Pool reserve = lane.reserve();
    return waits(pools.common, held, permit -> permit.drawnFrom() == pools.common, cost, now)
        && (reserve == null
            || waits(reserve, held, permit -> permit.drawnFrom() == reserve, cost, now));
  }

  private static boolean waits(
      @Nullable Pool pool,
      List<OpenPermit> held,
      Predicate<OpenPermit> isOfPool,
      Cost cost,
      long now) {
    if (pool == null || !pool.tracks() || pool.succession().isShared()) {
      return false;
    }
    Meter fresh = pool.freshMeter(now);
    boolean goes = fresh.nanosUntil(now, now, cost) < Meter.AT_EVENT;
    for (OpenPermit permit : held) {
      if (!permit.ended && isOfPool.test(permit)) {
        fresh.release(now, now, permit.cost);
      }
    }
    return goes && fresh.nanosUntil(now, now, cost) == Meter.AT_EVENT;
  }
}
