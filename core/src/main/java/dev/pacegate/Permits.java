package dev.pacegate;

import static dev.pacegate.Waiter.FOREVER;

import dev.pacegate.limit.Cost;
import dev.pacegate.limit.Meter;
import dev.pacegate.limit.Outcome;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The permits that are given out, and how they end. Guarded by the gate.
 *
 * <p>What needs no end is given out and forgotten. The rest is charged until it ends; who leaves
 * one open for long is warned about, and if the limit says so it is given up.
 */
final class Permits {

  private final Admission admission;
  private final Pools pools;
  private final Tally tally;
  private final boolean stamped;
  private final long lateNanos; // what is sent later than that is charged again
  private final boolean watched; // whether anything is
  private final OpenPermits open = new OpenPermits(); // but for those of keys, which come after it

  private boolean tracks;
  private boolean impatient; // whether anything is to be done about permits that stay open

  Permits(Admission admission, Pools pools, Tally tally, Limiter.Builder options) {
    this.admission = admission;
    this.pools = pools;
    this.tally = tally;
    this.stamped = options.stamped;
    this.lateNanos = options.lateNanos;
    this.watched = lateNanos != FOREVER;
    look();
  }

  private void look() {
    Meter meter = pools.whole.meter();
    tracks = pools.whole.tracks();
    open.mind(meter);
    notice();
  }

  /** Has regard to how long permits of keys may stay open in the eyes of their own limit. */
  void mind(OpenPermits ofKeys, Meter sample) {
    ofKeys.mind(sample);
    notice();
  }

  private void notice() {
    impatient = false;
    for (OpenPermits permits = open; permits != null; permits = permits.nextInUse) {
      impatient |= permits.isMinded();
    }
  }

  /** Puts a change in force; open permits move along. */
  void install(Change change) {
    forEachOpen(
        permit -> {
          change.adopt(pools.whole, permit);
          change.adopt(permit.drawnFrom, permit);
          change.adopt(permit.lane.own, permit);
        });
    change.install();
    look();
  }

  /** Returns whether anything minds how long permits stay open. May be asked without the gate. */
  boolean isImpatient() {
    return impatient;
  }

  /** Returns whether permits of the whole know nothing and need no end. */
  boolean areSimple() {
    return !tracks && !stamped && !watched;
  }

  void forEachOpen(Consumer<OpenPermit> action) {
    for (OpenPermits permits = open; permits != null; permits = permits.nextInUse) {
      permits.forEach(action);
    }
  }

  int openNow() {
    int sum = 0;
    for (OpenPermits permits = open; permits != null; permits = permits.nextInUse) {
      sum += permits.size();
    }
    return sum;
  }

  /** Returns for how long the oldest permit has been open; 0 if none is. */
  long oldestAge(long now) {
    long age = 0;
    for (OpenPermits permits = open; permits != null; permits = permits.nextInUse) {
      OpenPermit oldest = permits.oldest();
      age = oldest == null ? age : Math.max(age, now - oldest.startedAt);
    }
    return age;
  }

  private OpenPermits of(Lane lane) {
    OpenPermits ofKeys = lane.openOfKeys();
    return ofKeys == null ? open : ofKeys;
  }

  /** Called before one is charged, as it may fail. */
  private OpenPermits use(Lane lane) {
    OpenPermits permits = of(lane);
    if (permits.size() == 0 && permits != open) {
      open.use(permits);
      impatient |= permits.isMinded();
    }
    return permits;
  }

  private void remove(OpenPermit permit) {
    OpenPermits permits = of(permit.lane);
    permits.remove(permit);
    if (permits.size() == 0 && permits != open) {
      permits.rest();
      if (permits.isMinded()) {
        notice();
      }
    }
  }

  /** Charges a request that competes with nobody, and returns its permit. */
  Permit release(Lane lane, long now, Cost cost) {
    Pool choice = pools.choice(lane, false, now, now, cost);
    return release(lane, choice, now, now, cost, 0);
  }

  /** Charges the request of a waiter, and returns its permit. */
  Permit release(Waiter waiter, long now) {
    Pool choice = pools.choice(waiter, now);
    long waited = now - waiter.arrivedAt;
    return release(waiter.lane, choice, waiter.since, now, waiter.cost, waited);
  }

  private Permit release(
      Lane lane, @Nullable Pool choice, long since, long now, Cost cost, long waited) {
    if (!tracks && (lane.own == null || !lane.own.tracks())) {
      Permit permit = issue(lane, choice, now, cost, waited);
      pools.release(lane, choice, since, now, cost);
      return permit;
    }
    var permit = new OpenPermit(admission, lane, choice, cost, now, waited);
    OpenPermits permits = use(lane);
    pools.release(lane, choice, since, now, cost);
    permit.mark = pools.known(lane).spent();
    permits.add(permit);
    lane.open++;
    return permit;
  }

  /** Returns whether a request has a permit of its own, as its cost may be an estimate. */
  @SuppressWarnings("ReferenceEquality") // the one object that nearly all requests share
  static boolean mayBeSettled(Cost cost) {
    return cost != Cost.ONE;
  }

  private Permit issue(Lane lane, @Nullable Pool choice, long now, Cost cost, long waited) {
    if (watched || stamped || mayBeSettled(cost)) {
      var permit = new OpenPermit(admission, lane, choice, cost, now, waited);
      permit.ended = true;
      permit.needsNoEnd = true;
      return permit;
    }
    return waited > 0 ? new StampedPermit(admission.instant(now), waited) : SharedPermit.INSTANCE;
  }

  /** Ends a permit; returns whether it was open. */
  boolean end(OpenPermit permit, Outcome end, long now) {
    if (permit.ended) {
      return false;
    }
    permit.ended = true;
    remove(permit);
    permit.lane.open--;
    pools.end(permit, now, end);
    return true;
  }

  /** Corrects what a permit was charged; false if that is too late. */
  boolean settle(OpenPermit permit, Lane lane, Cost actual, long now) {
    if (permit.ended && !permit.needsNoEnd) {
      return false;
    }
    Cost charged = permit.cost;
    permit.cost = actual;
    permit.settled = true;
    pools.settle(permit, lane, now, charged, actual);
    return true;
  }

  /** Charges a permit again whose request is only sent now; returns whether that was late. */
  boolean startsLate(OpenPermit permit, Lane lane, long now) {
    if (now - permit.chargedAt <= lateNanos) {
      return false;
    }
    permit.chargedAt = now;
    pools.startsLate(permit, lane, now);
    return true;
  }

  /** Warns about all that have been open for too long; returns one that is to be given up. */
  @Nullable OpenPermit nextAbandoned(Duties duties) {
    if (!impatient) {
      return null;
    }
    for (OpenPermits permits = open; permits != null; permits = permits.nextInUse) {
      for (OpenPermit overdue = permits.overdue(open, duties.now);
          overdue != null;
          overdue = permits.overdue(open, duties.now)) {
        permits.warned(overdue);
        tally.tellOverdue(overdue, duties);
      }
      OpenPermit abandoned = permits.abandoned(open, duties.now);
      if (abandoned != null) {
        return abandoned;
      }
    }
    return null;
  }

  /** Returns when the next warning is due, or a permit is to be given up. */
  long nextInspection() {
    long next = FOREVER;
    if (impatient) {
      for (OpenPermits permits = open; permits != null; permits = permits.nextInUse) {
        next = Math.min(next, permits.nextInspection(open));
      }
    }
    return next;
  }
}
