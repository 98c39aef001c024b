package dev.pacegate.engine;

import static dev.pacegate.engine.Clock.FOREVER;
import static java.util.Objects.requireNonNull;

import dev.pacegate.engine.Waiter.State;
import dev.pacegate.limit.spi.Losses;
import dev.pacegate.limit.spi.Meter;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Calls those who wait, when and as long as they can go, and sees to it that the first who cannot
 * will look again in time. Guarded by the gate.
 */
final class WaitQueue {

  /** Who waits for longer than that for a permit to end is starved. */
  private static final long STARVES = 1_000_000_000L;

  private final Engine admission;
  private final Pools pools;
  private final PermitLedger permits;
  private final StatsCounter tally;
  private final FairQueue lanes = new FairQueue();
  private final NoShows latecomers;
  private long pausedUntil; // FOREVER until resumed
  private boolean observing;
  private @Nullable Waiter heldUp; // the watch that waits for what is common to all lanes

  WaitQueue(Engine admission, Pools pools, PermitLedger permits, StatsCounter tally) {
    this.admission = admission;
    this.pools = pools;
    this.permits = permits;
    this.tally = tally;
    this.latecomers = new NoShows(admission);
  }

  int waiting() {
    return lanes.waiting() + latecomers.size();
  }

  /** Returns whether somebody waits whose turn may have come. */
  boolean isExpected() {
    return lanes.next() != null;
  }

  /** Returns whether whoever comes to an empty lane need not look at anybody else. */
  boolean isQuiet(long now) {
    return lanes.next() == null
        && pools.whole.called().calls() == 0
        && pausedUntil <= now
        && !observing;
  }

  @Nullable Lane firstLane() {
    return lanes.first();
  }

  // ---- coming and leaving

  void add(Waiter waiter, long now) {
    lanes.add(waiter, now);
  }

  /** Removes one who has taken a permit, or else has left. */
  void remove(Waiter waiter, boolean took, Visit duties) {
    if (waiter.state == State.LATE) {
      latecomers.remove(waiter);
    } else {
      removeFromLine(waiter, took, duties);
    }
    latecomers.look(duties);
    dropAlarm(waiter.lane, duties);
    waiter.lane.mayRest(duties);
    if (waiter instanceof FutureWaiter future && future.timeout != null) {
      duties.cancel(future.timeout);
    }
  }

  private void removeFromLine(Waiter waiter, boolean took, Visit duties) {
    boolean wasCalled = waiter.state == State.CALLED;
    lanes.remove(waiter, took, duties.now);
    if (wasCalled && !pools.uncall(waiter)) {
      uncallAll();
    }
  }

  /** Removes one who is told why he gets no permit. */
  void turnAway(Waiter waiter, Refusal refusal, Visit duties) {
    remove(waiter, false, duties);
    waiter.refusal = refusal;
    waiter.summon(duties);
    tally.tellLeft(waiter, duties);
  }

  // ---- calling

  /** Calls one after another, lane by lane in turn, until one has to wait that holds up all. */
  void serve(Visit duties) {
    var aside = new ArrayList<Lane>(0); // those that wait for what is common
    heldUp = null;
    Lane lane = lanes.next();
    while (lane != null && serve(lane, aside, duties)) {
      lane = lanes.next();
    }
    aside.forEach(lanes::ready);
  }

  /** Serves the watch of a lane; false if it has to wait and nobody may go before it. */
  private boolean serve(Lane lane, List<Lane> aside, Visit duties) {
    Waiter watch = requireNonNull(lane.watch());
    long now = duties.now;
    long own = lane.own == null ? 0 : untilDue(lane.own, watch, now);
    watch.awaitsEnd = own == Meter.AT_EVENT && !requireNonNull(lane.own).isPaused(now);
    if (own > 0) {
      tellLosses(watch, own, lane.own, duties);
      if (waits(watch, own, lane.own, duties)) {
        lanes.leaves(lane);
      }
      return true;
    }
    if (lane.absent) {
      lanes.comesBack(lane);
      return true;
    }
    long due = untilDue(pools.whole, watch, now);
    long whole = Math.max(due, pause(now));
    if (whole > 0) {
      watch.awaitsEnd = due == Meter.AT_EVENT && pause(now) == 0;
      heldUp = watch;
      tellLosses(watch, due, pools.whole, duties);
      return !waits(watch, whole, pools.whole, duties);
    }
    boolean commonIsTaken = !aside.isEmpty();
    long shared = sharedWait(watch, commonIsTaken, now);
    if (shared > 0) {
      watch.awaitsEnd = shared == Meter.AT_EVENT;
      heldUp = watch;
      if (waits(watch, shared, pools.whole, duties)) {
        lanes.hold(lane);
        aside.add(lane);
      }
      return true;
    }
    watch.summon(duties);
    pools.call(watch, pools.choice(lane, true, watch.since, now, watch.cost));
    lanes.call(lane, watch, now);
    dropAlarm(lane, duties);
    if (watch instanceof FutureWaiter future && future.own != null) {
      latecomers.sentFor(future, duties);
    }
    return true;
  }

  /**
   * Has a watch look again in time, or turns it away if no wait will do; returns whether it waits.
   */
  private boolean waits(Waiter watch, long wait, @Nullable Pool pool, Visit duties) {
    if (wait == Meter.NEVER && pool != null && pool.called().calls() == 0) {
      turnAway(watch, Refusal.COST_TOO_LARGE, duties);
      return false;
    }
    long reliable = pool == null ? wait : Math.min(wait, pool.meter().askAgainAfter());
    long look = wait >= Meter.AT_EVENT ? Meter.NEVER : reliable;
    lookAgain(watch, look == Meter.NEVER ? FOREVER : Clock.later(duties.now, look), duties);
    return true;
  }

  /** The wait until either what its lane reserves or what is common has enough for the watch. */
  private long sharedWait(Waiter watch, boolean commonIsTaken, long now) {
    if (pools.common == null) {
      return 0;
    }
    Pool reserve = watch.lane.reserve();
    long wait = commonIsTaken ? Meter.AT_EVENT : untilDue(pools.common, watch, now);
    return reserve == null ? wait : Math.min(wait, untilDue(reserve, watch, now));
  }

  /** The wait of a watch together with all who have been called to the same pool. */
  private long untilDue(Pool pool, Waiter watch, long now) {
    return observing ? 0 : pool.nanosUntil(true, watch.since, now, watch.cost);
  }

  /** The wait of one that has been called, or comes when all others have been. */
  long untilDue(Waiter waiter, boolean behindCalled, long now) {
    if (observing) {
      return 0;
    }
    return Math.max(
        pools.nanosUntil(waiter.lane, behindCalled, waiter.since, now, waiter.cost), pause(now));
  }

  /** The watch is roused whenever its time has come nearer, for whatever reason. */
  private void lookAgain(Waiter watch, long due, Visit duties) {
    long at = Math.min(due, permits.nextInspection(watch.awaitsEnd, duties.now));
    if (at < watch.looksAt) {
      watch.looksAt = at;
      watch.rouse(duties);
    }
  }

  /** Returns whether a request has waited for long for a permit to end, such as of {@code lane}. */
  boolean starvesFor(Lane lane, long now) {
    return starves(heldUp, now) || starves(lane.watch(), now);
  }

  private static boolean starves(@Nullable Waiter watch, long now) {
    return watch != null && watch.awaitsEnd && now - watch.since > STARVES;
  }

  /** Says so if most of what a request that is refused has to wait for is spent by lost ones. */
  void tellLosses(Waiter refused, Visit duties) {
    tellLosses(refused, pools.whole, duties);
    if (refused.lane.own != null) {
      tellLosses(refused, refused.lane.own, duties);
    }
  }

  private void tellLosses(Waiter refused, Pool pool, Visit duties) {
    tellLosses(refused, untilDue(pool, refused, duties.now), pool, duties);
  }

  private void tellLosses(Waiter waiter, long wait, @Nullable Pool pool, Visit duties) {
    if (wait == 0 || wait >= Meter.AT_EVENT || pool == null || !pool.hasUntoldLoss(duties.now)) {
      return;
    }
    Losses losses = pool.tellLosses(duties.now, waiter.cost);
    if (losses != null) {
      tally.tellStarved(losses, wait, duties);
    }
  }

  /** Makes an appointment for the watch of a lane, in place of the last one. */
  void setAlarm(FutureWaiter watch, Visit duties) {
    Lane lane = watch.lane;
    if (lane.alarm != null) {
      duties.cancel(lane.alarm);
    }
    Alarm alarm = admission.alarm(watch);
    lane.alarm = alarm;
    duties.start(alarm);
  }

  private static void dropAlarm(Lane lane, Visit duties) {
    if (lane.alarm != null && !(lane.watch() instanceof FutureWaiter)) {
      duties.cancel(lane.alarm);
      lane.alarm = null;
    }
  }

  /** An alarm of {@code lane} has rung. */
  void rings(Lane lane, Alarm rung) {
    if (rung == lane.alarm) {
      lane.alarm = null;
      Waiter watch = lane.watch();
      if (watch != null) {
        looks(watch);
      }
    }
  }

  /** One looks at the clock: its lane's turn may have come, though the watch may be late. */
  void looks(Waiter waiter) {
    if (waiter == waiter.lane.watch()) {
      waiter.looksAt = FOREVER;
    }
    lanes.ready(waiter.lane);
  }

  /** Something has changed in {@code lane}: its turn may have come. */
  void expect(Lane lane) {
    lanes.ready(lane);
  }

  /** Makes everybody wait again who has been called. */
  void uncallAll() {
    pools.uncallAll(lanes.first());
    lanes.uncallAll();
  }

  /** Makes all in {@code lane} wait again who have been called. */
  void uncall(Lane lane) {
    for (Waiter w = lane.first(); w != null && w.state == State.CALLED; w = w.next) {
      if (!pools.uncall(w)) {
        uncallAll();
        return;
      }
    }
    lanes.uncall(lane);
  }

  // ---- those who are late

  /** Looks for those who were called and for whom no thread has come in time. */
  void looksForLate(Alarm rung, Visit duties) {
    for (FutureWaiter late = latecomers.next(duties.now);
        late != null;
        late = latecomers.next(duties.now)) {
      removeFromLine(late, false, duties);
      latecomers.add(late);
    }
    latecomers.rings(rung, duties);
  }

  /** Puts one who is late and has come back in its place, as there is no permit for it yet. */
  void putBack(Waiter late, Visit duties) {
    latecomers.remove(late);
    uncallAll();
    lanes.putBack(late, duties.now);
  }

  /** Returns those who are late now. */
  List<FutureWaiter> late() {
    return List.copyOf(latecomers.late());
  }

  /** Turns away those who are late and whose lanes {@code closes}. */
  void turnAwayLate(Predicate<Lane> closes, Visit duties) {
    for (FutureWaiter late : late()) {
      if (closes.test(late.lane)) {
        turnAway(late, Refusal.CLOSED, duties);
      }
    }
  }

  // ---- steering

  /** Returns for how long nobody goes; {@link Meter#AT_EVENT} until resumed. */
  long pause(long now) {
    if (observing || pausedUntil <= now) {
      return 0;
    }
    return pausedUntil == FOREVER ? Meter.AT_EVENT : pausedUntil - now;
  }

  boolean isPaused(long now) {
    return pausedUntil > now;
  }

  void pauseUntil(long instant) {
    pausedUntil = Math.max(pausedUntil, instant);
    uncallAll();
  }

  void resume() {
    pausedUntil = 0;
  }

  boolean isObserving() {
    return observing;
  }

  void observeOnly(boolean on) {
    observing = on;
    uncallAll();
  }
}
