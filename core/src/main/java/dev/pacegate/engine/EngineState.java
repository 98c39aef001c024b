package dev.pacegate.engine;

import static dev.pacegate.engine.visit.Clock.FOREVER;

import dev.pacegate.Permit;
import dev.pacegate.Snapshot;
import dev.pacegate.engine.Waiter.State;
import dev.pacegate.engine.report.Obstacle;
import dev.pacegate.engine.visit.Clock;
import dev.pacegate.engine.visit.Spinner;
import dev.pacegate.engine.visit.Visit;
import dev.pacegate.history.Succession;
import dev.pacegate.limit.Cost;
import dev.pacegate.limit.Limit;
import dev.pacegate.limit.Outcome;
import dev.pacegate.limit.Unlimited;
import dev.pacegate.limit.spi.Meter;
import dev.pacegate.time.Time;
import java.util.List;
import java.util.function.LongPredicate;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The state inside the gate: which requests are released, which wait, and which are called.
 *
 * <p>Every method is for a thread that holds the gate. No thread waits here and no user code runs;
 * actions for outside are added to the {@link Visit}. Instants are nanoseconds since the limiter
 * was made, so none is negative, and {@link Clock#FOREVER} is one.
 */
/*
 * Nothing is charged until it is released. A caller either takes a permit or joins the queue. Only
 * the first waiter that has not been called (the watch) watches the clock. When it is due, it goes,
 * and all waiters behind it that can go together with it are called: each comes back and takes a permit
 * of its own, stamped with its own reading of the clock. A waiter that leaves has nothing to pay back.
 *
 * Whatever happens while a request waits (a release, an end, a departure, another limit, a pause)
 * happens in a visit, which ends with `advance`: so it needs no rule of its own. Only what depends
 * on who can go by now advances itself, before.
 */
public final class EngineState {

  /** Sentinel instead of a wait: take the slow path, a {@linkplain #ask visit}. */
  static final long TAKES_A_VISIT = -1;

  private final String name;
  private final Time time;
  private final long origin;
  private final Clock clock;
  final int maxWaiting;
  public final StatsCounter stats;
  public final Pools pools;
  public final PermitLedger permits;
  public final WaitQueue queue;
  private final FutureCompleter completer;
  private Meter meter; // of the whole: copied here for the fast path
  private boolean simple; // whether permits are plain and need no end
  private boolean untimed; // and no instants are recorded or compared
  private @Nullable UndatedEnds undated; // null if the meter in force allows none
  private boolean closed;
  private long latest; // instant that was read

  EngineState(
      Options options,
      List<Lane> lanes,
      Clock clock,
      OpenPermit.Owner owner,
      FutureCompleter completer,
      @Nullable Spinner spinner,
      StatsCounter stats,
      Succession succession) {
    this.name = options.name();
    this.time = options.time();
    this.origin = clock.reading(0);
    this.clock = clock;
    this.maxWaiting = options.maxWaiting();
    this.stats = stats;
    this.completer = completer;
    this.pools = new Pools(options.limit(), lanes, options.time(), succession);
    this.permits = new PermitLedger(owner, pools, stats, options);
    this.queue = new WaitQueue(clock, pools, permits, stats, completer, spinner);
    this.meter = pools.whole.meter();
    cacheForFastPath();
  }

  private void cacheForFastPath() {
    meter = pools.whole.meter();
    undated = UndatedEnds.of(meter); // the visit of a change has dated those of the last one
    simple = permits.areSimple();
    Limit limit = pools.limit();
    // Another meter of no limit keeps instants, for a file or for a change.
    untimed = simple && limit instanceof Unlimited && meter == limit.newMeter(0);
  }

  /**
   * Reads the clock: a reading taken outside the gate could be old when it is recorded. An instant
   * is never before the last one, though a clock may step back. Every request reads it, so not by
   * way of {@link Clock}. Dates the ends that have no date yet.
   */
  long tick() {
    long now = time.nanoTime() - origin;
    if (now > latest) {
      latest = now;
    }
    if (undated != null) {
      undated.date(latest);
    }
    return latest;
  }

  /** Returns whether a request that comes to an empty lane need not look at other waiters. */
  boolean isQuiet(long now) {
    return queue.isQuiet(now) && !closed && pools.whole.pacing().restsIn(now) == 0;
  }

  // ---- asking while all is quiet

  /**
   * Returns whether this request can be granted without reading the clock, given that no caller
   * waits.
   */
  boolean needsNoClock(Lane lane, Cost cost) {
    return untimed && lane.isPlain && !PermitLedger.mayBeSettled(cost);
  }

  /**
   * Returns how long a request that comes to {@code lane} now must wait, or {@link #TAKES_A_VISIT}.
   */
  long nanosUntil(Lane lane, long now, Cost cost) {
    if (lane.isPlain) {
      return meter.nanosUntil(now, now, cost);
    }
    lane.refresh(now);
    return lane.isEmpty() && !lane.groupsWait() && !lane.turnsAway()
        ? pools.nanosUntil(lane, now, now, cost)
        : TAKES_A_VISIT;
  }

  /** Releases a request that has not waited. */
  Permit release(Lane lane, long now, Cost cost) {
    stats.grantedAtOnce();
    if (simple && lane.isPlain && !PermitLedger.mayBeSettled(cost)) {
      meter.release(now, now, cost);
      return PlainPermit.SHARED;
    }
    return permits.release(lane, now, cost);
  }

  /**
   * Counts a refusal, if {@code mode} makes it one, and returns the wait. Returns {@link
   * #TAKES_A_VISIT} if long-open permits must be inspected first, or lost ones reported.
   */
  long refuse(Lane lane, long now, long wait, Cost cost, AcquireMode mode) {
    if (permits.mustInspect(now) || pools.mustVisit(lane, cost, mode, now)) {
      return TAKES_A_VISIT;
    }
    if (mode == AcquireMode.TRY || wait == Meter.NEVER) {
      stats.refusedAtOnce(lane);
    }
    return wait;
  }

  // ---- asking

  /** Releases, refuses or enqueues a request. */
  void ask(Waiter waiter, AcquireMode mode, long maxWait, Visit visit) {
    long now = visit.now;
    if (mode != AcquireMode.WAIT) {
      advance(visit); // abandoned permits, or late waiters, may make room
    }
    visit.caller = waiter;
    waiter.lane.refresh(now);
    waiter.arrivedAt = now;
    waiter.since = now;
    if (waiter.goesAtOnce() && passesBy(waiter, visit)) {
      return;
    }
    waiter.atLeast = atLeast(waiter.lane, waiter.cost, now);
    if (waiter.goesAtOnce() && takesItsTurn(waiter, visit)) {
      return;
    }
    waiter.deadline = Clock.later(now, maxWait);
    Refusal refusal = refusal(waiter, mode, maxWait);
    if (refusal != null) {
      refuse(waiter, refusal, mode, visit);
      return;
    }
    if (waiter instanceof FutureWaiter future && future.deadline != FOREVER) {
      future.timeout = clock.alarm(future.deadline, (rung, later) -> timeOut(future, later));
      visit.start(future.timeout);
    }
    queue.add(waiter, now);
  }

  private void refuse(Waiter waiter, Refusal refusal, AcquireMode mode, Visit visit) {
    waiter.refuse(refusal, pools.unavailable(waiter.lane));
    boolean justNotNow = refusal == Refusal.WAIT_TOO_LONG;
    if (mode != AcquireMode.POLL || !justNotNow) {
      stats.tellRefused(waiter, visit);
    }
    if (justNotNow) {
      pools.refused(waiter.lane, waiter.cost);
      queue.tellLosses(waiter, visit);
    }
  }

  /** Asks for the largest cost up to {@code max} at which the request may go now; at least 1. */
  Waiter askUpTo(Lane lane, long max, Visit visit) {
    advance(visit);
    lane.refresh(visit.now);
    long most = mostNow(lane, max, visit.now);
    var waiter = new ThreadWaiter(lane, Cost.of(most));
    ask(waiter, AcquireMode.TRY, 0, visit);
    if (most < max && (waiter.refusal == null || waiter.isRefusedForNow())) {
      pools.refused(lane, Cost.of(max - most));
    }
    return waiter;
  }

  private long mostNow(Lane lane, long max, long now) {
    LongPredicate goes = amount -> queue.goes(lane, now, now, Cost.of(amount));
    return goes.test(max) ? max : LargestCost.between(1, max, goes);
  }

  /** Releases a request that can go together with all waiters. */
  private boolean passesBy(Waiter waiter, Visit visit) {
    if (turnsAway(waiter) || !queue.goesWithAll(waiter, visit.now)) {
      return false;
    }
    letThrough(waiter, visit);
    return true;
  }

  /** Releases a request that is first in its lane and goes before waiters of other lanes. */
  private boolean takesItsTurn(Waiter waiter, Visit visit) {
    if (turnsAway(waiter)
        || !queue.isAhead(waiter.lane)
        || waiter.lane.watch() != null
        || waiter.atLeast == Meter.NEVER) {
      return false;
    }
    queue.add(waiter, visit.now);
    advance(visit);
    if (waiter.state == State.CALLED) {
      take(waiter, visit);
      return true;
    }
    queue.remove(waiter, false, visit);
    return false;
  }

  /** A waiter takes its permit. An error before that leaves it in the queue. */
  private void take(Waiter waiter, Visit visit) {
    letThrough(waiter, visit);
    queue.remove(waiter, true, visit);
  }

  private void letThrough(Waiter waiter, Visit visit) {
    visit.hurries = true;
    long now = visit.now;
    long waited = now - waiter.arrivedAt;
    if (queue.isObserving()) {
      judge(waiter, now);
    }
    waiter.permit = permits.release(waiter, now);
    stats.granted(waiter.lane, queue.isObserving() ? 0 : waited);
    stats.tellReleased(waiter, clock.reading(now), visit);
  }

  /** Records what would have happened to a request in dry-run mode. */
  private void judge(Waiter waiter, long now) {
    long wait = pools.nanosUntil(waiter.lane, waiter.since, now, waiter.cost);
    if (wait > 0) {
      stats.wouldHaveWaited(waiter.lane, wait);
    }
  }

  private boolean turnsAway(Waiter waiter) {
    return isClosed(waiter) || isUnavailable(waiter);
  }

  private boolean isClosed(Waiter waiter) {
    return closed || waiter.lane.turnsAway();
  }

  private boolean isUnavailable(Waiter waiter) {
    return !queue.isObserving() && pools.unavailable(waiter.lane) != null;
  }

  private @Nullable Refusal refusal(Waiter waiter, AcquireMode mode, long maxWait) {
    if (isClosed(waiter)) {
      return Refusal.CLOSED;
    }
    if (isUnavailable(waiter)) {
      return Refusal.UNAVAILABLE;
    }
    if (waiter.atLeast == Meter.NEVER && !queue.isObserving()) {
      return Refusal.COST_TOO_LARGE;
    }
    if (mode != AcquireMode.WAIT || waiter.atLeast > maxWait) {
      return mode == AcquireMode.TRY && maxWait == 0
          ? pools.refusal(waiter)
          : Refusal.WAIT_TOO_LONG;
    }
    return queue.waiting() >= maxWaiting || waiter.lane.isFull() ? Refusal.QUEUE_FULL : null;
  }

  /**
   * Returns a lower bound of the wait of {@code cost} behind all waiters of its lane; NEVER if it
   * cannot pass.
   */
  long atLeast(Lane lane, Cost cost, long now) {
    lane.refresh(now);
    Waiter first = lane.first();
    long since = first == null ? now : first.since;
    long pause = queue.pause(now);
    return Math.max(pause == Meter.AT_EVENT ? 0 : pause, pools.atLeast(lane, since, now, cost));
  }

  /** Returns what a request that came now would wait for; null if it would go at once. */
  @Nullable Obstacle bottleneck(Lane lane, Cost cost, Visit visit) {
    advance(visit); // to find abandoned permits
    lane.refresh(visit.now);
    return BottleneckSearch.find(lane, cost, pools, queue, permits, visit.now);
  }

  // ---- waiting

  /** A waiting thread has woken: it takes its permit, or leaves, or parks again. */
  void awoke(Waiter waiter, Visit visit) {
    visit.caller = waiter;
    if (waiter.state != State.GONE) { // refused while it slept
      decideOn(waiter, visit);
    }
  }

  /** Decides whether a waiter takes its permit, or leaves as its time is up. */
  private void decideOn(Waiter waiter, Visit visit) {
    if (waiter.state == State.LATE) {
      comesLate(waiter, visit);
    }
    if (waiter.state == State.WAITING) {
      visit.hurries = waiter == waiter.lane.watch() && queue.alarmCalls(visit.now);
      queue.awoke(waiter);
      advance(visit); // it may be called, together with late waiters before it
    }
    if (waiter.state == State.CALLED) {
      if (queue.untilDue(waiter, false, visit.now) == 0) {
        if (!wakesFirst(visit)) {
          take(waiter, visit);
        }
        return;
      }
      queue.uncallAll(); // if it is not due, no waiter behind it is
    }
    if (waiter.state != State.GONE && visit.now >= waiter.deadline) {
      giveUpWaiting(waiter, visit);
    }
  }

  /**
   * Calls those that can go, too. Returns whether a called thread leaves the gate to wake them
   * before it takes its permit: each of them may run before it.
   */
  private boolean wakesFirst(Visit visit) {
    if (!visit.mayComeBack) {
      return false;
    }
    advance(visit);
    return visit.hasCalled();
  }

  private void comesLate(Waiter waiter, Visit visit) {
    waiter.lane.refresh(visit.now); // its key may have got another limit meanwhile
    if (queue.untilDue(waiter, true, visit.now) == 0) {
      take(waiter, visit);
    } else {
      queue.putBack(waiter, visit);
    }
  }

  /** Leaves the queue; false if the waiter was not in it. */
  boolean quit(Waiter waiter, Visit visit) {
    if (waiter.state == State.GONE) {
      return false;
    }
    queue.remove(waiter, false, visit);
    stats.tellLeft(waiter, visit);
    return true;
  }

  /** The deadline of a future has come. A called future is left to its completer. */
  private void timeOut(FutureWaiter waiter, Visit visit) {
    queue.ready(waiter.lane);
    advance(visit);
    if (waiter.state == State.WAITING) {
      giveUpWaiting(waiter, visit);
      queue.summon(waiter, visit);
    }
  }

  private void giveUpWaiting(Waiter waiter, Visit visit) {
    queue.remove(waiter, false, visit);
    waiter.atLeast = atLeast(waiter.lane, waiter.cost, visit.now);
    waiter.refusal = Refusal.WAIT_TOO_LONG;
    stats.tellLeft(waiter, visit);
  }

  // ---- moving on

  /**
   * Calls all waiters that can go now, together with those called already, and makes sure that the
   * first that cannot go will be looked at in time.
   */
  void advance(Visit visit) {
    for (OpenEntry lost = permits.loseNext(visit); lost != null; lost = permits.loseNext(visit)) {
      queue.ready(lost.lane);
      lost.lane.mayRest(visit);
    }
    permits.inspect(queue, visit);
    queue.serve(visit);
    completer.attend(visit);
  }

  // ---- futures

  /**
   * Stamps the next future that can go; null if there is none for this thread, which then has no
   * more to complete.
   *
   * @param any whether the thread may run what depends on it
   */
  @Nullable FutureWaiter nextReady(boolean any, Visit visit) {
    FutureWaiter next = nextCalled(any, visit);
    if (next == null) {
      advance(visit); // what this calls is for the same thread
      next = nextCalled(any, visit);
    }
    if (next == null) {
      completer.rest(visit);
    }
    return next;
  }

  /** The thread completes no more futures: another one does. */
  void leaveReady(Visit visit) {
    completer.rest(visit);
  }

  private @Nullable FutureWaiter nextCalled(boolean any, Visit visit) {
    for (FutureWaiter w = completer.poll(any); w != null; w = completer.poll(any)) {
      if (w.state != State.GONE) {
        decideOn(w, visit);
        if (w.state == State.GONE) {
          return w;
        }
      } else if (w.refusal != null) {
        return w;
      }
    }
    return null;
  }

  /** A thread collects a future; returns whether it is to be completed now. */
  boolean claim(FutureWaiter waiter, Visit visit) {
    if (waiter.state != State.GONE) {
      decideOn(waiter, visit);
    }
    boolean over = waiter.permit != null || waiter.refusal != null;
    boolean first = over && !waiter.claimed;
    waiter.claimed |= over;
    return first;
  }

  /**
   * Repairs what an error left undone, inside a visit or after it. Deserted waiters leave the
   * queue, called ones are called again, and a new thread is sent to complete futures. (If the old
   * one is still at work there are two for a while, which does no harm.)
   */
  void repair(Visit visit) {
    completer.mistrust();
    queue.restart();
    queue.removeDeserted(visit);
    advance(visit);
  }

  // ---- permits

  /**
   * Ends an answered permit without reading the clock, given that no caller waits for the limit of
   * all; false if it must have a date.
   */
  boolean endUndated(OpenPermit permit) {
    return undated != null && undated.hasRoom() && permits.endUndated(permit, undated);
  }

  /** Ends a permit; returns whether a visit must follow, as a waiter or the lane minds it. */
  boolean end(OpenPermit permit, long now, Outcome outcome) {
    if (!permits.end(permit, now, outcome)) {
      return false;
    }
    queue.ready(permit.lane);
    return queue.hasReadyLane() || permit.lane.mustBeToldOfEnds();
  }

  /** Corrects what a permit was charged; false if that is too late. */
  boolean settle(OpenPermit permit, Lane lane, UnaryOperator<Cost> correction, Visit visit) {
    lane.refresh(visit.now);
    Cost actual = correction.apply(permit.cost);
    if (!permits.settle(permit, lane, actual, visit.now)) {
      return false;
    }
    queue.ready(lane);
    lane.mayRest(visit);
    return true;
  }

  /** The request of a permit is sent some time after its release. */
  void sending(OpenPermit permit, Lane lane, Visit visit) {
    lane.refresh(visit.now);
    if (permits.sending(permit, lane, visit.now)) {
      stats.tellLate(permit, lane, visit);
    }
  }

  // ---- keys

  /**
   * Puts another limit per key in force where permits are open, in the lanes that {@code changes}
   * selects. The other lanes {@linkplain Lane#refresh follow} before they are next used, and no
   * waiter stays called.
   */
  public void changeKeys(Predicate<Lane> changes, Limit next, long now) {
    var change = new LimitChange(now);
    permits.forEachOpen(permit -> prepare(permit.lane, changes, change, next));
    permits.install(change);
    queue.uncallAll();
  }

  /** After a change of the limit of all keys: the requests that wait in a lane look again. */
  public void followChange(Lane key) {
    if (!key.isEmpty() || key.isGroup()) {
      queue.uncall(key);
    }
  }

  /** Puts another limit in force for one key. */
  public void changeKey(Lane key, Limit next, Visit visit) {
    var change = new LimitChange(visit.now);
    change.prepare(key.pool(), next);
    if (key.open > 0) {
      permits.install(change);
    } else {
      change.install();
    }
    queue.uncall(key);
  }

  /** Lets no request of a key through for {@code nanos}, or until resumed if that is FOREVER. */
  public void pauseKey(Lane key, long nanos, Visit visit) {
    pools.ownOrWhole(key).pauseUntil(Clock.later(visit.now, nanos));
    queue.uncall(key);
  }

  public void resumeKey(Lane key) {
    pools.ownOrWhole(key).resume();
    queue.ready(key);
  }

  /** Returns the state of one key, which has no lane while it is not in use. */
  public Snapshot snapshotOfKey(String name, @Nullable Lane key, Pool pool, Visit visit) {
    if (key != null) {
      queue.ready(key); // as of the whole, a snapshot finds what is due
    }
    advance(visit);
    if (key != null) {
      key.refresh(visit.now);
    }
    return LimiterSnapshot.ofKey(name, key, pool, queue, permits, visit.now);
  }

  private static void prepare(Lane lane, Predicate<Lane> changes, LimitChange change, Limit next) {
    if (lane.own != null && changes.test(lane)) {
      change.prepare(lane.own, next);
    }
    for (Lane group : lane.around) {
      if (changes.test(group)) {
        change.prepare(group.pool(), next);
      }
    }
  }

  // ---- control

  /** Returns the cost of all waiters, or of those of a key; none if none may go now. */
  public Cost wanted(@Nullable Lane key, long now) {
    return closed ? Cost.none() : queue.wanted(key, now);
  }

  public boolean isClosed() {
    return closed;
  }

  void setLimit(Pools.Shares next, Visit visit) {
    var change = new LimitChange(visit.now);
    pools.prepare(change, next);
    permits.install(change);
    cacheForFastPath();
    queue.uncallAll();
  }

  void resume() {
    queue.resume();
    pools.whole.pacing().resumed();
  }

  void close(Visit visit) {
    closed = true;
    pools.whole.succession().retire(visit.now);
    queue.turnAway(lane -> true, Refusal.CLOSED, visit);
  }

  Snapshot snapshot(Visit visit, List<KeyGroup> keys) {
    advance(visit); // to find abandoned permits
    return LimiterSnapshot.of(
        name, pools.whole, stats, queue, permits, sourceOf(keys, visit.now), visit.now);
  }

  private SourceState sourceOf(List<KeyGroup> keys, long now) {
    String why = pools.whole.succession().unavailable(now);
    boolean fails = pools.whole.succession().fails(now);
    for (KeyGroup group : keys) {
      why = why == null ? group.unavailable(now) : why;
      fails |= group.fails(now);
    }
    return new SourceState(why, fails);
  }
}
