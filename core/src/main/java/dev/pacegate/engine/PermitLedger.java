package dev.pacegate.engine;

import static dev.pacegate.engine.visit.Clock.FOREVER;

import dev.pacegate.Permit;
import dev.pacegate.engine.visit.Chain;
import dev.pacegate.engine.visit.Clock;
import dev.pacegate.engine.visit.Visit;
import dev.pacegate.limit.Cost;
import dev.pacegate.limit.Outcome;
import java.lang.ref.ReferenceQueue;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The open permits, and how permits end. Guarded by the gate.
 *
 * <p>A permit that needs no end is given out and not kept. Any other is charged until it ends. One
 * that is open for long is warned about; it counts as lost once the program no longer refers to it,
 * or the limit's {@code abandon} age is reached.
 */
public final class PermitLedger {

  /** Whether requests wait long for permits to end. */
  interface Starvation {

    /**
     * Returns whether a request has waited long for a permit to end, such as one of {@code lane}.
     */
    boolean starvesFor(Lane lane, long now);
  }

  /** How often to search for permits that a request has waited for too long. */
  private static final long SEARCH = 1_000_000_000L;

  private final OpenPermit.Owner owner;
  private final Pools pools;
  private final boolean stamped;
  private final long lateNanos; // requests sent later than this are charged again
  private final boolean watched; // whether lateness is watched at all
  private final OpenPermitList open = new OpenPermitList(); // without those of keys
  private final Chain<OpenPermitList> lists = new Chain<>(); // that one, then those of keys in use

  private final StatsCounter stats;
  private @Nullable LeakLog log; // once there is anything to log
  private boolean tracks;
  private @Nullable ReferenceQueue<OpenPermit> collected; // once any permit has been open for long
  private long quietUntil; // no permit without a key needs inspection before
  private OpenPermitList.@Nullable Aged dropped; // the next abandoned one, once looked for
  private long nextSearch; // when to check again whether callers starve for a permit

  PermitLedger(OpenPermit.Owner owner, Pools pools, StatsCounter stats, Options options) {
    this.owner = owner;
    this.pools = pools;
    this.stamped = options.stamped();
    this.lateNanos = options.lateNanos();
    this.watched = lateNanos != FOREVER;
    this.stats = stats;
    lists.add(open);
    readLimit();
  }

  private void readLimit() {
    tracks = pools.whole.tracks();
    open.mind(pools.whole.ages());
    quietUntil = 0;
  }

  /** Puts a change in force; open permits are taken over. */
  void install(LimitChange change) {
    forEachOpen(permit -> pools.forEach(permit, permit.lane, pool -> change.adopt(pool, permit)));
    change.install();
    readLimit();
  }

  /** Returns whether permits are plain and need no end. */
  boolean areSimple() {
    return !tracks && !stamped && !watched;
  }

  void forEachOpen(Consumer<? super OpenEntry> action) {
    for (OpenPermitList permits = lists.first(); permits != null; permits = permits.next) {
      permits.forEach(action);
    }
  }

  public int openNow() {
    int sum = 0;
    for (OpenPermitList permits = lists.first(); permits != null; permits = permits.next) {
      sum += permits.size();
    }
    return sum;
  }

  /** Returns for how long the oldest permit has been open; 0 if none is. */
  long oldestAge(long now) {
    long age = 0;
    for (OpenPermitList permits = lists.first(); permits != null; permits = permits.next) {
      OpenEntry oldest = permits.oldest();
      age = oldest == null ? age : Math.max(age, now - oldest.startedAt);
    }
    return age;
  }

  /** As {@link #oldestAge(long)}, of the permits of one key. */
  long oldestAge(Lane key, long now) {
    long age = 0;
    for (OpenPermitList permits = lists.first();
        permits != null && key.open > 0;
        permits = permits.next) {
      OpenEntry oldest = permits.oldest(key);
      age = oldest == null ? age : Math.max(age, now - oldest.startedAt);
    }
    return age;
  }

  private OpenPermitList of(Lane lane) {
    OpenPermitList ofKeys = lane.openOfKeys();
    return ofKeys == null ? open : ofKeys;
  }

  /** Returns the list for a new permit. Called before charging, as it may fail. */
  private OpenPermitList use(Lane lane) {
    OpenPermitList permits = of(lane);
    if (!lists.contains(permits)) {
      lists.add(permits);
    }
    return permits;
  }

  private void restIfEmpty(OpenPermitList permits) {
    if (permits.size() == 0 && permits != open) {
      lists.remove(permits);
    }
  }

  /** Charges a request without competitors, and returns its permit. */
  Permit release(Lane lane, long now, Cost cost) {
    Pool second = pools.common == null ? null : pools.secondPool(lane, false, now, now, cost);
    return release(lane, second, now, now, cost, 0);
  }

  /** Charges the request of a waiter, and returns its permit. */
  Permit release(Waiter waiter, long now) {
    Pool second = pools.secondPool(waiter, now);
    long waited = now - waiter.arrivedAt;
    return release(waiter.lane, second, waiter.since, now, waiter.cost, waited);
  }

  private Permit release(
      Lane lane, @Nullable Pool second, long since, long now, Cost cost, long waited) {
    if (!tracks && !lane.tracks()) {
      Permit permit = issue(lane, second, now, cost, waited);
      pools.release(lane, second, since, now, cost);
      return permit;
    }
    var permit = new OpenPermit(owner, lane, second, cost, now, waited);
    OpenPermitList permits = use(lane);
    pools.release(lane, second, since, now, cost);
    permits.add(permit);
    lane.countOpen(1);
    return permit;
  }

  /**
   * Returns whether a cost was named. Then it may be an estimate, and the permit can be settled.
   */
  @SuppressWarnings("ReferenceEquality") // Cost.ONE itself means that no cost was named
  static boolean mayBeSettled(Cost cost) {
    return cost != Cost.ONE;
  }

  private Permit issue(Lane lane, @Nullable Pool second, long now, Cost cost, long waited) {
    if (watched || stamped || mayBeSettled(cost)) {
      var permit = new OpenPermit(owner, lane, second, cost, now, waited);
      permit.ended = true;
      permit.needsNoEnd = true;
      return permit;
    }
    return waited > 0 ? new PlainPermit(waited) : PlainPermit.SHARED;
  }

  /** Ends a permit; returns whether it was open. */
  boolean end(OpenPermit permit, long now, Outcome outcome) {
    if (permit.ended) {
      return false;
    }
    if (outcome == Outcome.LOST) {
      stats.lost(permit.lane);
    }
    permit.ended = true;
    OpenPermitList permits = of(permit.lane);
    permits.remove(permit);
    ended(permits, permit, now, outcome);
    return true;
  }

  /**
   * Ends a permit that the meter of the whole hears of later; false if it is not open, or more than
   * that meter must be told.
   */
  boolean endUndated(OpenPermit permit, UndatedEnds undated) {
    if (permit.ended || !permit.lane.isPlain || mayBeSettled(permit.cost)) {
      return false;
    }
    permit.ended = true;
    open.remove(permit); // first: what is still in the list is ended once more when it is old
    undated.count++;
    permit.lane.countOpen(-1);
    return true;
  }

  private void ended(OpenPermitList permits, OpenEntry entry, long now, Outcome outcome) {
    assert entry.lane.open > 0 : "no permit of its lane is open";
    restIfEmpty(permits);
    entry.lane.countOpen(-1);
    pools.end(entry, now, outcome);
  }

  /** Corrects what a permit was charged; false if that is too late. */
  boolean settle(OpenPermit permit, Lane lane, Cost actual, long now) {
    if (permit.ended && !permit.needsNoEnd) {
      return false;
    }
    Cost charged = permit.cost;
    permit.cost = actual;
    permit.settled = true;
    OpenEntry aged = permit.aged();
    if (aged != null) {
      aged.cost = actual;
    }
    pools.settle(permit, lane, now, charged, actual);
    return true;
  }

  /**
   * Records that the request of a permit is sent only now; charges it again if that is late.
   *
   * @return whether it was late
   */
  boolean sending(OpenPermit permit, Lane lane, long now) {
    boolean late = now - permit.chargedAt() > lateNanos;
    boolean isSent = !permit.ended && (late || pools.countSendings(lane));
    if (late || isSent) {
      permit.prepareCharging(permit.aged());
    }
    if (isSent) {
      pools.sent(permit, now);
      permit.chargedAgain(now);
    }
    if (late) {
      pools.startsLate(permit, lane, now);
      permit.chargedAgain(now);
    }
    return late;
  }

  /** Returns whether an open permit of {@code lane} counts as lost at some age. */
  boolean abandons(Lane lane) {
    return of(lane).abandons(open);
  }

  // ---- permits that stay open

  /** Returns whether long-open permits must be inspected before a request is refused. */
  boolean mustInspect(long now) {
    if (nextDropped() != null) {
      return true;
    }
    if (now >= quietUntil && isDue(open, now)) {
      return true;
    }
    for (OpenPermitList keys = open.next; keys != null; keys = keys.next) {
      if (keys.nextInspection(open, false, now) <= now) {
        return true;
      }
    }
    return false;
  }

  /** Returns whether any is due. A later permit is due no sooner than the youngest could be now. */
  private boolean isDue(OpenPermitList permits, long now) {
    long next = permits.nextInspection(open, false, now);
    quietUntil = Math.min(next, Clock.later(now, permits.leastAge()));
    return next <= now;
  }

  /** Returns the next abandoned permit that has not been ended. */
  private OpenPermitList.@Nullable Aged nextDropped() {
    if ((dropped == null || dropped.ended) && collected != null) {
      dropped = OpenPermitList.Aged.next(collected);
    }
    return dropped;
  }

  /**
   * Returns when to inspect open permits for a request that waits; if {@code forAnEnd}, for
   * abandoned permits as well.
   */
  long nextInspection(boolean forAnEnd, long now) {
    long next = FOREVER;
    for (OpenPermitList permits = lists.first(); permits != null; permits = permits.next) {
      next = Math.min(next, permits.nextInspection(open, forAnEnd, now));
    }
    return next;
  }

  /**
   * Ends and returns the next permit that counts as lost: abandoned by the program, or older than
   * the limit allows. Null if there is none.
   */
  @Nullable OpenEntry loseNext(Visit visit) {
    boolean isDropped = nextDropped() != null;
    OpenEntry lost = isDropped ? dropped : abandoned(visit.now);
    dropped = null;
    if (lost != null) {
      lose(lost, visit.now);
      log().lost(lost, isDropped, visit);
    }
    return lost;
  }

  private @Nullable OpenEntry abandoned(long now) {
    OpenEntry abandoned = null;
    for (OpenPermitList permits = lists.first();
        permits != null && abandoned == null;
        permits = permits.next) {
      abandoned = permits.abandoned(open, now);
    }
    return abandoned;
  }

  private void lose(OpenEntry lost, long now) {
    stats.lost(lost.lane);
    OpenPermit permit =
        lost instanceof OpenPermitList.Aged aged ? aged.permit() : (OpenPermit) lost;
    if (permit != null) {
      permit.ended = true;
    }
    OpenPermitList permits = of(lost.lane);
    if (lost instanceof OpenPermitList.Aged aged) {
      permits.remove(aged);
    } else {
      permits.remove((OpenPermit) lost);
    }
    ended(permits, lost, now, Outcome.LOST);
  }

  /**
   * Stops keeping old permits reachable, and warns about permits that are open for too long, or for
   * long while a request waits for them.
   */
  void inspect(Starvation waiters, Visit visit) {
    boolean searches = visit.now >= nextSearch;
    for (OpenPermitList permits = lists.first(); permits != null; permits = permits.next) {
      if (permits.mustAge(open, visit.now)) {
        permits.age(open, visit.now, collected());
      }
      warn(permits, visit);
      if (searches && permits.hasAged()) {
        permits.forEachUnwarned(aged -> warnIfStarved(aged, waiters, visit));
        nextSearch = Clock.later(visit.now, SEARCH);
      }
    }
    if (log != null) {
      log.write(visit);
    }
  }

  private LeakLog log() {
    if (log == null) {
      log = new LeakLog(stats.reporter);
    }
    return log;
  }

  private ReferenceQueue<OpenPermit> collected() {
    if (collected == null) {
      collected = new ReferenceQueue<>();
    }
    return collected;
  }

  private void warn(OpenPermitList permits, Visit visit) {
    for (OpenPermitList.Aged overdue = permits.nextOverdue(visit.now);
        overdue != null;
        overdue = permits.nextOverdue(visit.now)) {
      log().overdue(overdue, visit);
    }
  }

  private void warnIfStarved(OpenPermitList.Aged aged, Starvation waiters, Visit visit) {
    if (waiters.starvesFor(aged.lane, visit.now)) {
      aged.warned = true;
      log().overdue(aged, visit);
    }
  }
}
