package dev.pacegate.engine;

import static dev.pacegate.engine.visit.Clock.FOREVER;
import static java.util.Objects.requireNonNull;

import dev.pacegate.engine.Waiter.State;
import dev.pacegate.engine.visit.Alarm;
import dev.pacegate.engine.visit.Clock;
import dev.pacegate.engine.visit.Spinner;
import dev.pacegate.engine.visit.Visit;
import dev.pacegate.limit.Cost;
import dev.pacegate.limit.spi.Meter;
import java.util.Collection;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Calls waiters when they can go, and makes sure that the first that cannot go is looked at in
 * time. Guarded by the gate.
 */
public final class WaitQueue implements PermitLedger.Starvation {

  /** A request that waits longer than this for a permit to end starves. */
  private static final long STARVES = 1_000_000_000L;

  /** The first of more waiters than this returns before any other is woken. */
  private static final int CROWD = 16;

  private final Clock clock;
  private final Pools pools;
  private final PermitLedger permits;
  private final StatsCounter stats;
  private final FutureCompleter completer;
  private final @Nullable Spinner spinner;
  private final FairQueue lanes = new FairQueue();
  private @Nullable NoShows noShows; // once any thread has been sent for
  private @Nullable HandOver handOver; // once any waiting thread has been called
  private long pausedUntil; // FOREVER until resumed
  private boolean observing;
  private boolean fed; // a request has waited for a pool that a source gives permits to
  private boolean leftToOthers; // whether a waiter can go, and is left to threads that were called
  private @Nullable Waiter heldUp; // the watch that waits for the pool common to all lanes

  WaitQueue(
      Clock clock,
      Pools pools,
      PermitLedger permits,
      StatsCounter stats,
      FutureCompleter completer,
      @Nullable Spinner spinner) {
    this.clock = clock;
    this.pools = pools;
    this.permits = permits;
    this.stats = stats;
    this.completer = completer;
    this.spinner = spinner;
  }

  int waiting() {
    return lanes.waiting() + (noShows == null ? 0 : noShows.size());
  }

  /**
   * Returns how long the first that came has waited, called or late or neither; 0 if none waits.
   */
  long oldestWait(long now) {
    return lanes.oldestWait(now);
  }

  /** Returns whether there is a waiter whose turn may have come. */
  boolean hasReadyLane() {
    return lanes.next() != null;
  }

  /** Returns whether a caller at an empty lane need not look at other waiters. */
  boolean isQuiet(long now) {
    return lanes.next() == null
        && pools.whole.called().calls() == 0
        && pausedUntil <= now
        && !observing;
  }

  @Nullable Lane firstLane() {
    return lanes.first();
  }

  // ---- joining and leaving

  void add(Waiter waiter, long now) {
    fed |= waiter.lane.isFed();
    lanes.add(waiter, now);
  }

  /** Removes a waiter that has taken a permit, or has left. */
  void remove(Waiter waiter, boolean took, Visit visit) {
    lanes.departs(waiter);
    if (waiter.state == State.LATE) {
      noShows().remove(waiter);
    } else {
      removeFromLine(waiter, took, visit);
    }
    assert lanes.waiting() > 0 || pools.whole.called().calls() == 0 : "none waits, some are called";
    if (noShows != null) {
      noShows.dropIdleAlarm(visit);
    }
    if (handOver != null) {
      handOver.came(visit.now);
      if (lanes.waiting() == 0) {
        handOver.rests(visit);
      }
    }
    dropAlarm(waiter.lane, visit);
    waiter.lane.mayRest(visit);
    if (waiter instanceof FutureWaiter future && future.timeout != null) {
      visit.cancel(future.timeout);
    }
  }

  private void removeFromLine(Waiter waiter, boolean took, Visit visit) {
    boolean wasCalled = waiter.state == State.CALLED;
    lanes.remove(waiter, took, visit.now);
    if (wasCalled && !pools.uncall(waiter)) {
      Pools.uncallAll(waiter.lane); // which may be in use no more
      uncallAll();
    }
  }

  /** Removes a waiter and tells it the reason of its refusal. */
  void turnAway(Waiter waiter, Refusal refusal, Visit visit) {
    remove(waiter, false, visit);
    waiter.refuse(refusal, pools.unavailable(waiter.lane));
    summon(waiter, visit);
    stats.tellLeft(waiter, visit);
  }

  // ---- calling

  /** What has come of a lane's turn. */
  enum LaneTurn {
    /** Its watch was called or refused, or waits for its own pool: the next lane may go. */
    OVER,
    /** It waits for the common rest, which lanes with another reserved share may do without. */
    STEPS_ASIDE,
    /** It waits for the whole, as all others do then. */
    HOLDS_UP,
    /** It can go, and is left to the threads that have been called. */
    LEFT_TO_OTHERS
  }

  /**
   * Calls waiters, lane by lane in turn, until one must wait that holds up all others, or is left
   * to the threads that have been called.
   */
  void serve(Visit visit) {
    heldUp = null;
    leftToOthers = false;
    if (hasReadyLane()) {
      serveLanes(visit);
    }
    handOver(visit);
  }

  private void serveLanes(Visit visit) {
    boolean commonIsTaken = false; // by one that waits for it
    LaneTurn turn = LaneTurn.OVER;
    Lane lane = lanes.next();
    while (lane != null && (turn == LaneTurn.OVER || turn == LaneTurn.STEPS_ASIDE)) {
      Waiter watch = requireNonNull(lane.watch());
      turn = serve(lane, watch, commonIsTaken, visit);
      if (turn == LaneTurn.STEPS_ASIDE) {
        lanes.stepsAside(lane);
        commonIsTaken = true;
      }
      if (turn == LaneTurn.STEPS_ASIDE || turn == LaneTurn.HOLDS_UP) {
        heldUp = watch;
      }
      lane = lanes.next();
    }
    leftToOthers = turn == LaneTurn.LEFT_TO_OTHERS;
    lanes.stepIn();
  }

  private void handOver(Visit visit) {
    if (leftToOthers || (handOver != null && isAnotherCalled(visit.caller))) {
      handOver(visit.now).goesOn(leftToOthers, visit);
      return;
    }
    if (handOver != null) {
      handOver.isDone();
    }
    if (lanes.waiting() > CROWD && heldUp instanceof ThreadWaiter first) {
      handOver(visit.now).awaits(first.wakesAt, visit);
    }
  }

  /** Returns whether an alarm is about to call the others of a crowd, whose first goes before. */
  boolean alarmCalls(long now) {
    return handOver != null && handOver.ringsSoon(now);
  }

  private boolean isAnotherCalled(@Nullable Object caller) {
    boolean itself = caller instanceof Waiter waiter && waiter.state == State.CALLED;
    return pools.whole.called().calls() > (itself ? 1 : 0);
  }

  private LaneTurn serve(Lane lane, Waiter watch, boolean commonIsTaken, Visit visit) {
    long now = visit.now;
    if (!lane.follows(visit)) {
      wakeAt(watch, Clock.later(now, Lane.FAILED_NANOS), visit);
      lanes.leaves(lane, lane);
      return LaneTurn.OVER;
    }
    if ((lane.own != null && waitsFor(lane, lane.own, watch, visit))
        || waitsForGroup(lane, watch, visit)
        || lanes.comesBack(lane)) {
      return LaneTurn.OVER;
    }
    long whole = untilDue(pools.whole, watch, now);
    long pause = pause(now);
    if (whole > 0 || pause > 0) {
      stats.tellLosses(watch, whole, pools.whole, visit);
      return waits(watch, whole, pause, pools.whole, visit) ? LaneTurn.HOLDS_UP : LaneTurn.OVER;
    }
    long shared = sharedWait(watch, commonIsTaken, now);
    if (shared > 0) {
      return waits(watch, shared, 0, pools.whole, visit) ? LaneTurn.STEPS_ASIDE : LaneTurn.OVER;
    }
    return call(lane, watch, visit);
  }

  private boolean waitsForGroup(Lane lane, Waiter watch, Visit visit) {
    boolean waits = false;
    for (int i = 0; i < lane.around.length && !waits; i++) {
      waits = waitsFor(lane.around[i], lane.around[i].pool(), watch, visit);
    }
    return waits;
  }

  /**
   * Returns whether the watch cannot go now because of {@code pool}, its lane's own or that of a
   * group: then it, or the group, leaves the turns until it can; or else it is refused.
   */
  private boolean waitsFor(Lane owner, Pool pool, Waiter watch, Visit visit) {
    long wait = untilDue(pool, watch, visit.now);
    if (wait == 0) {
      return false;
    }
    stats.tellLosses(watch, wait, pool, visit);
    if (waits(watch, wait, pool.pause(visit.now), pool, visit)) {
      lanes.leaves(watch.lane, owner);
    }
    return true;
  }

  private LaneTurn call(Lane lane, Waiter watch, Visit visit) {
    long now = visit.now;
    if (watch instanceof ThreadWaiter && watch != visit.caller) {
      if (!visit.callsAnother(isAnotherCalled(visit.caller) || alarmCalls(now))) {
        return LaneTurn.LEFT_TO_OTHERS;
      }
      handOver(now).called(now);
    }
    summon(watch, visit);
    pools.call(watch, pools.secondPool(lane, true, watch.since, now, watch.cost));
    lanes.call(lane, watch, now);
    dropAlarm(lane, visit);
    if (watch instanceof FutureWaiter future && future.own != null) {
      noShows().sentFor(future, visit);
    }
    return LaneTurn.OVER;
  }

  /**
   * Schedules when a watch wakes next, or refuses it if no wait will do; returns whether it waits.
   *
   * @param wait its wait for {@code pool}
   * @param pause how long it is paused besides
   */
  private boolean waits(Waiter watch, long wait, long pause, Pool pool, Visit visit) {
    watch.awaitsEnd = wait == Meter.AT_EVENT && pause == 0;
    long longest = Math.max(wait, pause);
    if (longest == Meter.NEVER && pool.called().calls() == 0) {
      turnAway(watch, Refusal.COST_TOO_LARGE, visit);
      return false;
    }
    long wake =
        longest < Meter.AT_EVENT
            ? Math.min(longest, pool.meter().askAgainAfter())
            : endOfPause(pool, visit.now);
    wakeAt(watch, wake == Meter.NEVER ? FOREVER : Clock.later(visit.now, wake), visit);
    return true;
  }

  /**
   * Returns the wait until a pause ends, when permits may be asked for again; NEVER if there is
   * nothing to look for.
   */
  private long endOfPause(Pool pool, long now) {
    long pause = Math.max(pause(now), pool.pause(now));
    return pause == 0 || pause == Meter.AT_EVENT ? Meter.NEVER : pause;
  }

  /**
   * Returns the wait until its lane's reserved share or the common rest has enough for the watch.
   */
  private long sharedWait(Waiter watch, boolean commonIsTaken, long now) {
    if (pools.common == null) {
      return 0;
    }
    Pool reserve = watch.lane.reserve();
    long wait = commonIsTaken ? Meter.AT_EVENT : untilDue(pools.common, watch, now);
    return reserve == null ? wait : Math.min(wait, untilDue(reserve, watch, now));
  }

  /** Returns the wait of a watch together with all waiters called to the same pool. */
  private long untilDue(Pool pool, Waiter watch, long now) {
    return observing ? 0 : pool.nanosUntil(true, watch.since, now, watch.cost);
  }

  /** Returns the wait of a called waiter, or of one behind all called waiters. */
  long untilDue(Waiter waiter, boolean behindCalled, long now) {
    if (observing) {
      return 0;
    }
    return Math.max(
        pools.nanosUntil(waiter.lane, behindCalled, waiter.since, now, waiter.cost), pause(now));
  }

  /**
   * Returns whether a request can go together with all waiters. While some are left to others, that
   * is known only if all draw from the same pool.
   */
  boolean goesWithAll(Waiter waiter, long now) {
    Lane lane = waiter.lane;
    boolean waits = isAhead(lane) || lane.watch() != null;
    boolean known = !waits || knowsWhatIsLeft(lane) || observing;
    return known && pause(now) == 0 && goes(lane, waiter.since, now, waiter.cost);
  }

  /** Returns whether a waiter's turn may have come that draws from a pool of {@code lane}. */
  boolean isAhead(Lane lane) {
    return hasReadyLane() || lane.groupsWait();
  }

  /** Returns whether every waiter left to another thread waits in {@code lane}, a plain one. */
  private boolean knowsWhatIsLeft(Lane lane) {
    return leftToOthers && lane.isPlain && lane.size() == lanes.waiting();
  }

  /** Returns whether a request of {@code lane} may go behind all waiters, as far as is known. */
  boolean goes(Lane lane, long since, long now, Cost cost) {
    if (observing) {
      return true;
    }
    long wait =
        knowsWhatIsLeft(lane)
            ? pools.whole.untilBehind(lane.all(), since, now, cost)
            : pools.nanosUntil(lane, true, since, now, cost);
    return wait == 0;
  }

  /** Wakes the watch if its instant has come nearer, for whatever reason. */
  private void wakeAt(Waiter watch, long due, Visit visit) {
    long at = Math.min(due, permits.nextInspection(watch.awaitsEnd, visit.now));
    if (at < watch.wakesAt) {
      watch.wakesAt = at;
      rouse(watch, visit);
    }
  }

  @Override
  public boolean starvesFor(Lane lane, long now) {
    return starves(heldUp, now) || starves(lane.watch(), now);
  }

  private static boolean starves(@Nullable Waiter watch, long now) {
    return watch != null && watch.awaitsEnd && now - watch.since > STARVES;
  }

  /** Reports starvation: lost requests hold most of the limit that refused this request. */
  void tellLosses(Waiter refused, Visit visit) {
    tellLosses(refused, pools.whole, visit);
    if (refused.lane.own != null) {
      tellLosses(refused, refused.lane.own, visit);
    }
    for (Lane group : refused.lane.around) {
      tellLosses(refused, group.pool(), visit);
    }
  }

  private void tellLosses(Waiter refused, Pool pool, Visit visit) {
    stats.tellLosses(refused, untilDue(pool, refused, visit.now), pool, visit);
  }

  /** Makes a waiter look again, now or at its instant. */
  private void rouse(Waiter waiter, Visit visit) {
    if (waiter instanceof FutureWaiter future) {
      setAlarm(future, visit);
    } else {
      visit.wake((ThreadWaiter) waiter);
    }
  }

  /** Makes a waiter come and take its permit, or its refusal. */
  void summon(Waiter waiter, Visit visit) {
    if (waiter instanceof FutureWaiter future) {
      completer.summon(future, visit);
    } else {
      visit.wake((ThreadWaiter) waiter);
    }
  }

  /** Sets the alarm for the watch of a lane, in place of the last one. */
  private void setAlarm(FutureWaiter watch, Visit visit) {
    Lane lane = watch.lane;
    if (lane.alarm != null) {
      visit.cancel(lane.alarm);
    }
    Alarm alarm = clock.alarm(watch.wakesAt, (rung, later) -> rings(lane, rung));
    if (spinner != null) {
      spinner.attach(alarm, watch.wakesAt, watch.own, later -> rings(lane, alarm));
    }
    lane.alarm = alarm;
    visit.start(alarm);
  }

  private static void dropAlarm(Lane lane, Visit visit) {
    if (lane.alarm != null && !(lane.watch() instanceof FutureWaiter)) {
      visit.cancel(lane.alarm);
      lane.alarm = null;
    }
  }

  /** Handles the alarm of {@code lane}. */
  private void rings(Lane lane, Alarm rung) {
    if (rung == lane.alarm) {
      lane.alarm = null;
      Waiter watch = lane.watch();
      if (watch != null) {
        awoke(watch);
      }
    }
  }

  /** A waiter has woken: its lane's turn may have come, though the watch may be late. */
  void awoke(Waiter waiter) {
    if (waiter == waiter.lane.watch()) {
      waiter.wakesAt = FOREVER;
    }
    lanes.ready(waiter.lane);
  }

  /** Something has changed in {@code lane}: its turn may have come. */
  public void ready(Lane lane) {
    lanes.ready(lane);
  }

  /**
   * Takes back all calls, as the reason for a call may have changed, and makes the watch look again
   * that all others wait for. Other lanes are left alone, however many: those that wait for their
   * own pools look at their own instants, and those that have a turn to come look then.
   */
  public void uncallAll() {
    pools.uncallAll();
    lanes.uncallAll();
    Lane next = lanes.next();
    if (next != null) {
      requireNonNull(next.watch()).wakesAt = FOREVER;
    }
  }

  /** Takes back all calls, and makes all lanes look again; repairs what an error left half done. */
  public void restart() {
    pools.uncallAll();
    lanes.restart();
    if (handOver != null) {
      handOver.mistrust();
    }
  }

  /** As {@link #uncallAll()}; keys with a source also ask it anew. */
  public void uncallAllAndFed() {
    uncallAll();
    if (fed) {
      lanes.readyFed();
    }
  }

  /** Takes back the calls of {@code lane}, and those of lanes that draw from its pool. */
  public void uncall(Lane lane) {
    if (lane.isGroup() && lane.pool().called().calls() > 0) {
      uncallAll();
    }
    for (Waiter w = lane.first(); w != null && w.state == State.CALLED; w = w.next) {
      if (!pools.uncall(w)) {
        uncallAll();
        return;
      }
    }
    lanes.uncall(lane);
  }

  private HandOver handOver(long now) {
    if (handOver == null) {
      handOver = new HandOver(clock, now);
    }
    return handOver;
  }

  // ---- late waiters

  private NoShows noShows() {
    if (noShows == null) {
      noShows = new NoShows(clock, this::findLate);
    }
    return noShows;
  }

  private void findLate(Alarm rung, Visit visit) {
    NoShows noShows = noShows();
    for (FutureWaiter late = noShows.next(visit.now);
        late != null;
        late = noShows.next(visit.now)) {
      removeFromLine(late, false, visit);
      noShows.add(late);
    }
    noShows.rings(rung, visit);
  }

  /**
   * Returns a late waiter that has come to its place in the queue, as there is no permit for it
   * yet.
   */
  void putBack(Waiter late, Visit visit) {
    noShows().remove(late);
    uncallAll();
    lanes.putBack(late, visit.now);
  }

  /** Returns the late waiters, not a copy: for callers that make none leave meanwhile. */
  Collection<FutureWaiter> late() {
    return noShows == null ? List.of() : noShows.late();
  }

  /** Removes waiters whose callers an error has thrown out of the wait. */
  void removeDeserted(Visit visit) {
    for (Lane lane = lanes.first(); lane != null; ) {
      Lane next = lane.next;
      removeDeserted(lane, visit);
      lane = next;
    }
    for (FutureWaiter late : List.copyOf(late())) {
      leaveIfDeserted(late, visit);
    }
  }

  private void removeDeserted(Lane lane, Visit visit) {
    for (Waiter w = lane.first(); w != null; ) {
      Waiter next = w.next;
      leaveIfDeserted(w, visit);
      w = next;
    }
  }

  private void leaveIfDeserted(Waiter waiter, Visit visit) {
    if (waiter.deserted) {
      remove(waiter, false, visit);
      stats.tellLeft(waiter, visit);
    }
  }

  /** Refuses all waiters, called or late or neither, whose lanes {@code closes} selects. */
  public void turnAway(Predicate<Lane> closes, Refusal refusal, Visit visit) {
    for (Lane lane = lanes.first(); lane != null; ) {
      Lane next = lane.next;
      if (closes.test(lane)) {
        turnAway(lane, refusal, visit);
      }
      lane = next;
    }
    for (FutureWaiter late : List.copyOf(late())) {
      if (closes.test(late.lane)) {
        turnAway(late, refusal, visit);
      }
    }
  }

  private void turnAway(Lane lane, Refusal refusal, Visit visit) {
    for (Waiter w = lane.first(); w != null; w = lane.first()) {
      turnAway(w, refusal, visit);
    }
  }

  // ---- control

  /**
   * Returns the {@linkplain FairQueue#wanted cost of all waiters} in the queue, or of those of one
   * lane; none while the limiter is paused or in dry-run mode.
   */
  Cost wanted(@Nullable Lane only, long now) {
    if (observing || isPaused(now)) {
      return Cost.none();
    }
    return only == null ? lanes.wanted() : only.all();
  }

  /** Returns for how long the limiter is paused; {@link Meter#AT_EVENT} until resumed. */
  long pause(long now) {
    if (observing || pausedUntil <= now) {
      return 0;
    }
    return pausedUntil == FOREVER ? Meter.AT_EVENT : pausedUntil - now;
  }

  boolean isPaused(long now) {
    return pausedUntil > now;
  }

  /** Lets no request through before {@code instant}; until resumed if that is FOREVER. */
  public void pauseUntil(long instant) {
    pausedUntil = Math.max(pausedUntil, instant);
    uncallAllAndFed();
  }

  void resume() {
    pausedUntil = 0;
    uncallAllAndFed();
  }

  public boolean isObserving() {
    return observing;
  }

  void dryRun(boolean on) {
    observing = on;
    restart();
  }
}
