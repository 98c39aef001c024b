package dev.pacegate.engine;

import static dev.pacegate.engine.Clock.FOREVER;

import dev.pacegate.PeerRefusal;
import dev.pacegate.Permit;
import dev.pacegate.Quota;
import dev.pacegate.Snapshot;
import dev.pacegate.WaitHistogram;
import dev.pacegate.engine.Waiter.State;
import dev.pacegate.limit.Cost;
import dev.pacegate.limit.Limit;
import dev.pacegate.limit.Outcome;
import dev.pacegate.limit.Promise;
import dev.pacegate.limit.Unlimited;
import dev.pacegate.limit.spi.Meter;
import dev.pacegate.state.SavedState;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * What goes on inside the gate: who is let through, who waits, who is called.
 *
 * <p>Every method is for whoever holds the gate. Nobody waits here and no user code runs; what is
 * to be done outside is left as {@link Visit}. Instants are nanoseconds since the limiter was made,
 * so none is negative, and {@link Waiter#FOREVER} is one.
 */
/*
 * Nothing is charged until it is released. Whoever asks either takes a permit or joins the line. Only
 * the first in line who has not been called (the watch) looks at the clock. When it is due, it goes,
 * and everybody behind it who can go together with it is called: each comes back and takes a permit of
 * its own, stamped with its own reading of the clock. Whoever leaves the line simply leaves; there is
 * nothing to pay back.
 *
 * Everything that happens while somebody waits (a release, an end, a departure, another limit, a
 * pause) ends with `advance`, so it needs no rule of its own.
 */
final class EngineState {

  /** No wait at all: not even joining the line. */
  static final long NO_WAIT = -1;

  /** No wait, and none refused: whoever asks comes again. */
  static final long NO_WAIT_YET = -2;

  /** In place of the instant until which to park: there is nothing more to wait for. */
  static final long DONE = -1;

  /** In place of a wait: others must be looked at first. */
  static final long UNKNOWN = -1;

  private final Engine admission;
  private final int maxWaiting;
  private final StatsCounter tally;
  private final @Nullable SavedState state;
  private final Pools pools;
  private final PermitLedger permits;
  private final WaitQueue usher;
  private final FutureCompleter drain;
  private Meter meter; // of the whole: here for those who need not look further
  private boolean simple; // permits know nothing and need no end
  private boolean untimed; // and nothing depends on when they are given
  private long last;
  private boolean closed;

  EngineState(
      Engine admission,
      Options options,
      List<Lane> lanes,
      Reporter reporter,
      @Nullable SavedState state) {
    this.admission = admission;
    this.maxWaiting = options.maxWaiting();
    this.tally = new StatsCounter(reporter);
    this.state = state;
    this.pools = new Pools(options.limit(), lanes, options.time(), state);
    this.permits = new PermitLedger(admission, pools, tally, options);
    this.usher = new WaitQueue(admission, pools, permits, tally);
    this.drain = new FutureCompleter(admission);
    this.meter = pools.whole.meter();
    look();
  }

  private void look() {
    meter = pools.whole.meter();
    simple = permits.areSimple();
    untimed = simple && state == null && pools.limit() instanceof Unlimited;
  }

  /** Returns the instant of {@code reading}, or of an earlier one if the clock has stepped back. */
  long now(long reading) {
    if (reading > last) {
      last = reading;
    }
    return last;
  }

  /** Returns whether whoever comes to an empty lane need not look at anybody else. */
  boolean isQuiet(long now) {
    return usher.isQuiet(now) && !closed;
  }

  // ---- asking while all is quiet

  /**
   * Returns whether nothing of a request that comes while all is quiet depends on when it comes.
   */
  boolean needsNoClock(Lane lane, Cost cost) {
    return untimed && lane.isPlain && !PermitLedger.mayBeSettled(cost);
  }

  /**
   * Returns how long a request that comes to {@code lane} now must wait, or {@link #UNKNOWN}: that
   * takes a visit.
   */
  long nanosUntil(Lane lane, long now, Cost cost) {
    if (lane.isPlain) {
      return meter.nanosUntil(now, now, cost);
    }
    lane.refresh(now);
    return lane.isEmpty() && !lane.isClosed() ? pools.nanosUntil(lane, now, now, cost) : UNKNOWN;
  }

  /** Lets a request through that has not waited. */
  Permit release(Lane lane, long now, Cost cost) {
    tally.grantedAtOnce();
    if (simple && lane.isPlain && !PermitLedger.mayBeSettled(cost)) {
      meter.release(now, now, cost);
      return SharedPermit.INSTANCE;
    }
    return permits.release(lane, now, cost);
  }

  void refuse(int refusals) {
    tally.refused(refusals);
  }

  /**
   * Counts {@code refusals} of a request that would have to wait; returns that wait, or {@link
   * #UNKNOWN} if others must be looked at first: permits that have been open for long, or what was
   * lost.
   */
  long refuse(Lane lane, long now, long wait, int refusals) {
    if (permits.mustInspect(now) || pools.hasUntoldLoss(lane, now)) {
      return UNKNOWN;
    }
    tally.refused(refusals);
    return wait;
  }

  // ---- asking

  /** Lets through at once, or refuses, or puts in line; returns until when to park. */
  long ask(Waiter waiter, long maxWait, Visit duties) {
    long now = duties.now;
    waiter.lane.refresh(now);
    duties.awake = waiter;
    waiter.arrivedAt = now;
    waiter.since = now;
    if (waiter.goesAtOnce() && passesBy(waiter, duties)) {
      return DONE;
    }
    waiter.atLeast = atLeast(waiter.lane, waiter.cost, now);
    if (waiter.goesAtOnce() && takesItsTurn(waiter, duties)) {
      return DONE;
    }
    Refusal refusal = refusal(waiter, maxWait);
    if (refusal != null) {
      waiter.refusal = refusal;
      if (maxWait != NO_WAIT_YET || refusal != Refusal.WAIT_TOO_LONG) {
        tally.tellRefused(waiter, duties);
      }
      if (refusal == Refusal.WAIT_TOO_LONG) {
        usher.tellLosses(waiter, duties);
      }
      return DONE;
    }
    waiter.deadline = Clock.later(now, maxWait);
    usher.add(waiter, now);
    advance(duties);
    return waiter.state == State.DONE ? DONE : parksUntil(waiter, now);
  }

  /** As {@link #ask}, with an appointment at the deadline. */
  long askAsync(FutureWaiter waiter, long maxWait, Visit duties) {
    long until = ask(waiter, maxWait, duties);
    if (until != DONE && waiter.deadline != FOREVER) {
      Alarm timeout = admission.alarm(waiter.deadline, self -> admission.onTimeout(waiter));
      waiter.timeout = timeout;
      duties.start(timeout);
    }
    return until;
  }

  /** Lets through whoever can go together with all who wait, if these have been called. */
  private boolean passesBy(Waiter waiter, Visit duties) {
    if (isClosed(waiter)
        || usher.isExpected()
        || waiter.lane.watch() != null
        || usher.untilDue(waiter, true, duties.now) > 0) {
      return false;
    }
    letThrough(waiter, duties);
    return true;
  }

  /** Lets through whoever is first in its lane and goes before those who wait in others. */
  private boolean takesItsTurn(Waiter waiter, Visit duties) {
    if (isClosed(waiter)
        || !usher.isExpected()
        || waiter.lane.watch() != null
        || waiter.atLeast == Meter.NEVER) {
      return false;
    }
    usher.add(waiter, duties.now);
    advance(duties);
    if (waiter.state == State.CALLED) {
      take(waiter, duties);
      return true;
    }
    usher.remove(waiter, false, duties);
    return false;
  }

  /** One that waits takes its permit. An error before that leaves it in line. */
  private void take(Waiter waiter, Visit duties) {
    letThrough(waiter, duties);
    usher.remove(waiter, true, duties);
  }

  private void letThrough(Waiter waiter, Visit duties) {
    long now = duties.now;
    long waited = now - waiter.arrivedAt;
    if (usher.isObserving()) {
      judge(waiter, now);
    }
    waiter.permit = permits.release(waiter, now);
    tally.granted(usher.isObserving() ? 0 : waited);
    tally.tellReleased(waiter, admission.instant(now), duties);
  }

  /** Notes what would have become of a request that only observing lets through. */
  private void judge(Waiter waiter, long now) {
    long wait = pools.nanosUntil(waiter.lane, waiter.since, now, waiter.cost);
    if (wait > 0) {
      tally.heldBack(wait);
    }
  }

  private boolean isClosed(Waiter waiter) {
    return closed || waiter.lane.isClosed();
  }

  private @Nullable Refusal refusal(Waiter waiter, long maxWait) {
    if (isClosed(waiter)) {
      return Refusal.CLOSED;
    }
    if (waiter.atLeast == Meter.NEVER) {
      return Refusal.COST_TOO_LARGE;
    }
    if (waiter.atLeast > maxWait) {
      return Refusal.WAIT_TOO_LONG;
    }
    return usher.waiting() >= maxWaiting || waiter.lane.isFull() ? Refusal.LINE_FULL : null;
  }

  /**
   * Returns a lower bound of the wait of {@code cost} behind all in its lane; NEVER if it cannot
   * pass.
   */
  long atLeast(Lane lane, Cost cost, long now) {
    lane.refresh(now);
    Waiter first = lane.first();
    long since = first == null ? now : first.since;
    long pause = usher.pause(now);
    return Math.max(pause == Meter.AT_EVENT ? 0 : pause, pools.atLeast(lane, since, now, cost));
  }

  // ---- waiting

  /** A thread that waits has come to look: it takes its permit, or leaves, or parks again. */
  long look(ThreadWaiter waiter, Visit duties) {
    duties.awake = waiter;
    if (waiter.state == State.DONE) {
      return DONE; // turned away while it slept
    }
    decideOn(waiter, duties);
    return waiter.state == State.DONE ? DONE : parksUntil(waiter, duties.now);
  }

  /** Lets a waiter that looks take its permit, or leave if it is out of time. */
  private void decideOn(Waiter waiter, Visit duties) {
    if (waiter.state == State.LATE) {
      comesLate(waiter, duties);
    }
    if (waiter.state == State.WAITING) {
      usher.looks(waiter);
      advance(duties); // it may be called, together with those before it, who are late
    }
    if (waiter.state == State.CALLED) {
      if (usher.untilDue(waiter, false, duties.now) == 0) {
        take(waiter, duties);
      } else {
        usher.uncallAll(); // if it is not due, nobody behind it is
      }
    }
    if (waiter.state != State.DONE && duties.now >= waiter.deadline) {
      giveUpWaiting(waiter, duties);
    }
    advance(duties);
  }

  private void comesLate(Waiter waiter, Visit duties) {
    if (usher.untilDue(waiter, true, duties.now) == 0) {
      take(waiter, duties);
    } else {
      usher.putBack(waiter, duties);
    }
  }

  private static long parksUntil(Waiter waiter, long now) {
    return waiter.state == State.CALLED ? now : Math.min(waiter.looksAt, waiter.deadline);
  }

  /** Leaves the line; false if it was not, or no longer, in it. */
  boolean quit(Waiter waiter, Visit duties) {
    if (waiter.state == State.DONE) {
      return false;
    }
    usher.remove(waiter, false, duties);
    tally.tellLeft(waiter, duties);
    advance(duties);
    return true;
  }

  /** The deadline of a future has come. One that has been called is left to the drainer. */
  void timeOut(FutureWaiter waiter, Visit duties) {
    usher.expect(waiter.lane);
    advance(duties);
    if (waiter.state == State.WAITING) {
      giveUpWaiting(waiter, duties);
      waiter.summon(duties);
      advance(duties);
    }
  }

  private void giveUpWaiting(Waiter waiter, Visit duties) {
    usher.remove(waiter, false, duties);
    waiter.atLeast = atLeast(waiter.lane, waiter.cost, duties.now);
    waiter.refusal = Refusal.WAIT_TOO_LONG;
    tally.tellLeft(waiter, duties);
  }

  // ---- moving on

  /**
   * Calls everybody who can go now, together with those called already, and sees to it that the
   * first who cannot will look again in time.
   */
  void advance(Visit duties) {
    for (OpenEntry lost = permits.loseNext(duties); lost != null; lost = permits.loseNext(duties)) {
      usher.expect(lost.lane);
      lost.lane.mayRest(duties);
    }
    permits.inspect(usher, duties);
    usher.serve(duties);
    drain.attend(duties);
  }

  // ---- futures

  /** Puts a future up for completion. */
  void queue(FutureWaiter waiter) {
    drain.queue(waiter);
  }

  /** Makes an appointment for the watch of a lane, in place of the last one. */
  void setAlarm(FutureWaiter watch, Visit duties) {
    usher.setAlarm(watch, duties);
  }

  /** It is time to see whether somebody who was called has not come. */
  void looksForLate(Alarm rung, Visit duties) {
    usher.looksForLate(rung, duties);
    advance(duties);
  }

  void rings(Lane lane, Alarm rung, Visit duties) {
    usher.rings(lane, rung);
    advance(duties);
  }

  void rescues(Alarm rung, Visit duties) {
    drain.rescues(rung, duties);
  }

  /** Stamps the next future that can go; null, and no longer draining, if there is none. */
  @Nullable FutureWaiter nextReady(Visit duties) {
    for (FutureWaiter w = drain.poll(); w != null; w = drain.poll()) {
      if (w.state != State.DONE) {
        decideOn(w, duties);
        if (w.state == State.DONE) {
          return w;
        }
      } else if (w.refusal != null) {
        return w;
      }
    }
    drain.rest(duties);
    return null;
  }

  /** A future has been come for; returns whether it is to be completed now. */
  boolean claim(FutureWaiter waiter, Visit duties) {
    if (waiter.state != State.DONE) {
      decideOn(waiter, duties);
    }
    boolean over = waiter.permit != null || waiter.refusal != null;
    boolean first = over && !waiter.claimed;
    waiter.claimed |= over;
    return first;
  }

  /**
   * Puts right what an error left undone, inside a visit or after it: those it befell leave the
   * line, those who had been called are called again, and so is the drainer. (If the old one is
   * still at work there are two for a while, which does no harm.)
   */
  void mend(Visit duties) {
    drain.mistrust();
    usher.uncallAll();
    for (Lane lane = usher.firstLane(); lane != null; ) {
      Lane next = lane.next;
      mend(lane, duties);
      lane = next;
    }
    for (FutureWaiter late : usher.late()) {
      if (late.deserted) {
        usher.remove(late, false, duties);
        tally.tellLeft(late, duties);
      }
    }
    advance(duties);
  }

  private void mend(Lane lane, Visit duties) {
    for (Waiter w = lane.first(); w != null; ) {
      Waiter next = w.next;
      if (w.deserted) {
        usher.remove(w, false, duties);
        tally.tellLeft(w, duties);
      }
      w = next;
    }
  }

  // ---- permits

  /** Ends a permit; returns whether {@link #ended} is to be called after that. */
  boolean end(OpenPermit permit, Outcome end, long now) {
    if (!permits.end(permit, end, now)) {
      return false;
    }
    usher.expect(permit.lane);
    return usher.isExpected() || permit.lane.mustBeToldOfEnds();
  }

  /** A permit has ended: somebody who waits may be due, and its lane may come to rest. */
  void ended(OpenPermit permit, Visit duties) {
    permit.lane.mayRest(duties);
    advance(duties);
  }

  /** Corrects what a permit was charged; false if that is too late. */
  boolean settle(OpenPermit permit, Lane lane, UnaryOperator<Cost> correction, Visit duties) {
    lane.refresh(duties.now);
    Cost actual = correction.apply(permit.cost);
    if (!permits.settle(permit, lane, actual, duties.now)) {
      return false;
    }
    usher.expect(lane);
    lane.mayRest(duties);
    advance(duties);
    return true;
  }

  /** The request of a permit is sent long after its release. */
  void startsLate(OpenPermit permit, Lane lane, Visit duties) {
    lane.refresh(duties.now);
    if (permits.startsLate(permit, lane, duties.now)) {
      tally.tellLate(permit, duties);
      advance(duties);
    }
  }

  // ---- keys

  /** Puts another limit per key in force in all lanes that {@code changes} and that are in use. */
  void changeKeys(Predicate<Lane> changes, Limit next, long now) {
    var change = new LimitChange(now);
    for (Lane lane = usher.firstLane(); lane != null; lane = lane.next) {
      prepare(lane, changes, change, next);
    }
    permits.forEachOpen(permit -> prepare(permit.lane, changes, change, next));
    permits.install(change);
  }

  /** Puts another limit in force for one key. */
  void changeKey(Lane key, Limit next, Visit duties) {
    changeKeys(lane -> lane == key, next, duties.now);
    uncall(key, duties);
  }

  /** Lets no request of a key through for another {@code nanos}, or until resumed if FOREVER. */
  void pauseKey(Lane key, long nanos, Visit duties) {
    pools.known(key).pauseUntil(Clock.later(duties.now, nanos));
    uncall(key, duties);
  }

  void resumeKey(Lane key, Visit duties) {
    pools.known(key).resume();
    usher.expect(key);
    advance(duties);
  }

  /** Has all who wait for a key called anew, as what they were called for may have changed. */
  private void uncall(Lane key, Visit duties) {
    usher.uncall(key);
    advance(duties);
  }

  /** Returns what is known of a key alone. */
  Snapshot snapshotOfKey(Lane key, String name, Visit duties) {
    advance(duties);
    key.refresh(duties.now);
    Pool pool = pools.known(key);
    return new Snapshot(
        name,
        pool.limit(),
        pool.released(),
        0,
        0,
        0,
        0,
        0,
        0,
        key.size(),
        key.open,
        Duration.ZERO,
        pool.isPaused(duties.now) || usher.isPaused(duties.now),
        WaitHistogram.of(new long[64]),
        most(pool));
  }

  private static void prepare(Lane lane, Predicate<Lane> changes, LimitChange change, Limit next) {
    if (lane.own != null && changes.test(lane)) {
      change.prepare(lane.own, next);
    }
  }

  /** Has everybody called anew, as what they were called for may have changed. */
  void recall(Visit duties) {
    usher.uncallAll();
    advance(duties);
  }

  /** Turns away all who wait in lanes that {@code closes}. */
  void close(Predicate<Lane> closes, Visit duties) {
    for (Lane lane = usher.firstLane(); lane != null; ) {
      Lane next = lane.next;
      if (closes.test(lane)) {
        close(lane, duties);
      }
      lane = next;
    }
    usher.turnAwayLate(closes, duties);
    advance(duties);
  }

  // ---- steering

  Limit limit() {
    return pools.limit();
  }

  /** Returns what lanes have of a limit. May be asked without the gate. */
  Pools.Shares shares(Limit limit) {
    return pools.shares(limit);
  }

  void setLimit(Pools.Shares next, Visit duties) {
    var change = new LimitChange(duties.now);
    pools.prepare(change, next);
    permits.install(change);
    look();
    recall(duties);
  }

  /** Lets nobody through for another {@code nanos}, or until resumed if they are FOREVER. */
  void pauseFor(long nanos, Visit duties) {
    usher.pauseUntil(Clock.later(duties.now, nanos));
    advance(duties);
  }

  /** The peer has refused a request of {@code lane}. */
  void peerRefused(Lane lane, long pause, Visit duties) {
    lane.refresh(duties.now);
    Pool known = pools.known(lane);
    var refusal =
        new PeerRefusal(
            admission.name(),
            known.limit(),
            QuotaReconciler.isProven(known.limit()),
            lane.own == null ? permits.openNow() : lane.open,
            QuotaReconciler.of(known.meter(), duties.now),
            Duration.ofNanos(pause));
    tally.tellPeerRefused(refusal, duties);
    if (lane.own == null) {
      pauseFor(pause, duties);
    } else {
      pauseKey(lane, pause, duties);
    }
  }

  /**
   * The peer has said, in answer to a request, what its own count is. Nobody goes sooner for that,
   * and whoever has been called looks before it goes.
   */
  long peerCounted(OpenPermit permit, Quota quota, Visit duties) {
    Pool known = pools.known(permit.lane);
    long later = known.spent() - permit.mark;
    long taken = QuotaReconciler.heed(known, quota, permit.startedAt, later, duties.now);
    if (taken > 0) {
      tally.takenByOthers(taken);
    }
    return taken;
  }

  void peerDated(OpenPermit permit, Instant date, Visit duties) {
    pools.dated(permit, duties.now, date);
    usher.expect(permit.lane);
    advance(duties);
  }

  void resume(Visit duties) {
    usher.resume();
    advance(duties);
  }

  void observeOnly(boolean on, Visit duties) {
    usher.observeOnly(on);
    advance(duties);
  }

  void close(Visit duties) {
    closed = true;
    if (state != null) {
      state.stop();
    }
    close(lane -> true, duties);
  }

  private void close(Lane lane, Visit duties) {
    for (Waiter w = lane.first(); w != null; w = lane.first()) {
      usher.turnAway(w, Refusal.CLOSED, duties);
    }
  }

  Snapshot snapshot(Visit duties) {
    advance(duties); // to notice leaks
    long now = duties.now;
    return new Snapshot(
        admission.name(),
        limit(),
        tally.granted(),
        tally.refused(),
        tally.cancelled(),
        tally.heldBack(),
        tally.late(),
        tally.refusedByPeer(),
        tally.takenByOthers(),
        usher.waiting(),
        permits.openNow(),
        Duration.ofNanos(permits.oldestAge(now)),
        usher.isPaused(now),
        tally.waits(),
        most(pools.whole));
  }

  private static List<Snapshot.Most> most(Pool pool) {
    var most = new ArrayList<Snapshot.Most>();
    Iterator<Promise> promises = pool.limit().promises().iterator();
    pool.meter()
        .most(
            count -> {
              if (promises.hasNext()) {
                most.add(new Snapshot.Most(promises.next(), count));
              }
            });
    return most;
  }
}
