package dev.pacegate;

import static dev.pacegate.Waiter.FOREVER;

import dev.pacegate.limit.Cost;
import dev.pacegate.limit.End;
import dev.pacegate.limit.Meter;
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
  private final OpenPermits open = new OpenPermits();

  private boolean tracks;
  private long warnAfter;
  private long abandonAfter;
  private long warnAfterOfKeys = Meter.NEVER;
  private long abandonAfterOfKeys = Meter.NEVER;
  private boolean impatient; // whether anything is to be done about permits that stay open

  Permits(Admission admission, Pools pools, Tally tally, boolean stamped) {
    this.admission = admission;
    this.pools = pools;
    this.tally = tally;
    this.stamped = stamped;
    look();
  }

  private void look() {
    Meter meter = pools.whole.meter();
    tracks = pools.whole.tracks();
    warnAfter = Math.min(meter.warnAfter(), warnAfterOfKeys);
    abandonAfter = Math.min(meter.abandonAfter(), abandonAfterOfKeys);
    impatient = warnAfter < Meter.NEVER || abandonAfter < Meter.NEVER;
  }

  /** Has regard to how long permits may stay open in the eyes of a limit per key, too. */
  void mind(Meter ofKeys) {
    warnAfterOfKeys = Math.min(warnAfterOfKeys, ofKeys.warnAfter());
    abandonAfterOfKeys = Math.min(abandonAfterOfKeys, ofKeys.abandonAfter());
    look();
  }

  void change(Pools.Shares next, long now) {
    pools.change(next, now, open);
    look();
  }

  /** Returns whether anything minds how long permits stay open. May be asked without the gate. */
  boolean isImpatient() {
    return impatient;
  }

  /** Returns whether permits of the whole know nothing and need no end. */
  boolean areSimple() {
    return !tracks && !stamped;
  }

  OpenPermits open() {
    return open;
  }

  /** Charges a request, and returns its permit. */
  Permit release(Lane lane, long since, long now, Cost cost, long waited) {
    Pool choice = pools.choice(lane, false, since, now, cost);
    if (!tracks && (lane.own == null || !lane.own.tracks())) {
      pools.release(lane, choice, since, now, cost);
      return issue(now, waited);
    }
    var permit = new OpenPermit(admission, lane, choice, cost, now, waited);
    pools.release(lane, choice, since, now, cost);
    open.add(permit);
    return permit;
  }

  private Permit issue(long now, long waited) {
    return stamped || waited > 0
        ? new StampedPermit(admission.instant(now), waited)
        : SharedPermit.INSTANCE;
  }

  /** Ends a permit; returns whether it was open. */
  boolean end(OpenPermit permit, End end, long now) {
    if (permit.ended) {
      return false;
    }
    permit.ended = true;
    open.remove(permit);
    pools.end(permit, now, end);
    return true;
  }

  /** Warns about a permit that has been open for too long; false if there is none. */
  private boolean warn(Duties duties) {
    OpenPermit permit = open.unwarned();
    if (permit == null || duties.now - permit.startedAt < warnAfter) {
      return false;
    }
    open.warned(permit);
    tally.tellOverdue(permit, duties);
    return true;
  }

  /** Warns about all that have been open for too long; returns one that is to be given up. */
  @Nullable OpenPermit nextAbandoned(Duties duties) {
    boolean more = impatient;
    while (more) {
      more = warn(duties);
    }
    OpenPermit oldest = open.oldest();
    return oldest == null || duties.now - oldest.startedAt < abandonAfter ? null : oldest;
  }

  /** Returns when the next warning is due, or a permit is to be given up. */
  long nextInspection() {
    if (!impatient) {
      return FOREVER;
    }
    OpenPermit unwarned = open.unwarned();
    OpenPermit oldest = open.oldest();
    long warning = unwarned == null ? FOREVER : Desk.later(unwarned.startedAt, warnAfter);
    long giveUp = oldest == null ? FOREVER : Desk.later(oldest.startedAt, abandonAfter);
    return Math.min(warning, giveUp);
  }
}
