package dev.pacegate.engine;

import static java.util.Objects.requireNonNull;

import dev.pacegate.Share;
import dev.pacegate.engine.report.RequestCounts;
import dev.pacegate.engine.visit.Alarm;
import dev.pacegate.engine.visit.Chain;
import dev.pacegate.engine.visit.Clock;
import dev.pacegate.engine.visit.Visit;
import dev.pacegate.history.Succession;
import dev.pacegate.limit.Cost;
import dev.pacegate.limit.Limit;
import dev.pacegate.limit.Portion;
import java.time.InstantSource;
import org.jspecify.annotations.Nullable;

/**
 * A FIFO queue of waiters, beside the queues of other lanes. Guarded by the gate.
 *
 * <p>Some waiters at the front may have been <em>called</em>: told to come and take their permits,
 * which are not charged until they do. The first that has not been called is the <em>watch</em>:
 * the only one whose instant is computed.
 */
/*
 * What needs stack or memory comes before the first change: an error leaves the queue as it was.
 */
public class Lane extends TurnTaker<Lane> implements Seat, AutoCloseable {

  /**
   * The name of a lane and its share.
   *
   * @param weight how fast its turn comes again
   * @param percent how much of the limit is reserved for it
   * @param reserve the pool of the reserved share, null if there is none
   */
  record Standing(String name, int weight, int percent, @Nullable Pool reserve) {}

  /** After how long the limit of a key that has failed is tried again. */
  public static final long FAILED_NANOS = 60_000_000_000L;

  private static final Lane[] NONE = {};

  final Standing standing;
  public final @Nullable Pool own; // which only this lane draws from, besides the whole
  public final Lane[] around; // the groups whose pools it draws from, too; those around it last
  final boolean isPlain; // whether it draws from the whole alone

  @Nullable TurnOrder in; // where it takes its turns, once a request has waited
  @Nullable TurnOrder
      within; // of a group: the turns of its lanes, once a request of them has waited
  private volatile Lane @Nullable [] members; // of a group: what is around its lanes
  public int open; // how many of its permits have not ended, those of lanes in the group included
  public int late; // how many of its futures were called but not collected in time
  @Nullable Alarm alarm; // of the watch, if that is a future

  private final Chain<Waiter> waiters = new Chain<>();
  private @Nullable Waiter watch;
  private Cost all = Cost.none();

  private Lane(Standing standing, @Nullable Pool own, Lane[] around, boolean isPlain) {
    this.standing = standing;
    this.own = own;
    this.around = around;
    this.isPlain = isPlain;
  }

  /**
   * Creates a lane of a limiter with {@code limit}; {@code anyReserved} says whether any of its
   * lanes has a reserved share.
   */
  Lane(String name, Share share, Limit limit, InstantSource timeOfDay, boolean anyReserved) {
    this(
        new Standing(
            name,
            share.weight(),
            share.reservedPercent(),
            share.reservedPercent() == 0
                ? null
                : reserve(limit, share.reservedPercent(), timeOfDay)),
        null,
        NONE,
        !anyReserved);
  }

  /**
   * Creates a lane beside {@code sibling}, with a pool of its own, in all groups {@code around}.
   */
  public Lane(Lane sibling, Pool own, Lane[] around) {
    this(sibling.standing, own, around, false);
  }

  private static Pool reserve(Limit limit, int percent, InstantSource timeOfDay) {
    return new Pool(limit.share(Portion.of(percent)), 0, timeOfDay, Succession.PLAIN);
  }

  /** Returns this lane, or its replacement if it has been dropped. */
  @Override
  public Lane hold() {
    return this;
  }

  @Override
  public Lane tryHold() {
    return hold();
  }

  @Override
  public @Nullable Limit ownLimit() {
    return null;
  }

  @Override
  public boolean countsPlainCosts() {
    return false;
  }

  /** Ends a {@linkplain #hold hold}: the lane may be dropped again. */
  @Override
  public void close() {}

  /** Puts the latest limit of its key in force. Called before this lane's own pool is used. */
  public void refresh(long now) {}

  /** As {@link #refresh}, on behalf of others: reports a limit that fails, and returns false. */
  protected boolean follows(Visit visit) {
    return true;
  }

  /** Returns whether this lane refuses all requests. */
  public boolean turnsAway() {
    return false;
  }

  /** Returns whether the queue is full. */
  public boolean isFull() {
    return false;
  }

  /** Describes the bound on waiters; {@code ofAll} is the bound for all lanes. */
  public String mostWaiters(int ofAll) {
    return "maxWaiting is " + ofAll;
  }

  /** Names the limits that hold for this lane; {@code ofAll} is the one that all lanes share. */
  public String limits(Limit ofAll) {
    return isPlain ? ofAll.toString() : ofAll + ", of which shares are reserved";
  }

  /** Returns the list of this key's open permits; null if they are in the limiter's own list. */
  public @Nullable OpenPermitList openOfKeys() {
    return null;
  }

  /** Returns what is counted for this key alone; null if this is no key. */
  public @Nullable RequestCounts counts() {
    return null;
  }

  /** Returns what has been counted for this key alone, to look at. */
  public RequestCounts countsSoFar() {
    return new RequestCounts();
  }

  /** Called when a waiter has left this lane, or a permit of it has ended. */
  public void mayRest(Visit visit) {}

  /** Returns whether {@link #mayRest} needs to be called after a permit has ended. */
  public boolean mustBeToldOfEnds() {
    return false;
  }

  @Override
  final @Nullable Pool reserve() {
    return standing.reserve();
  }

  public boolean isEmpty() {
    return waiters.size() == 0;
  }

  public int size() {
    return waiters.size();
  }

  @Nullable Waiter first() {
    return waiters.first();
  }

  /** Returns how long the first waiter has waited; 0 if none waits. */
  long oldestWait(long now) {
    Waiter first = first();
    return first == null ? 0 : now - first.arrivedAt;
  }

  @Nullable Waiter watch() {
    return watch;
  }

  /** Returns whether any of its waiters is called. */
  final boolean hasCalled() {
    return waiters.first() != watch;
  }

  /** Returns whether a source gives permits to its own pool. */
  final boolean isFed() {
    return own != null && own.succession().isShared();
  }

  @Override
  boolean isReady() {
    return watch != null;
  }

  /** Returns since when the watch has waited. There must be one. */
  @Override
  long waitedSince() {
    return requireNonNull(watch).arrivedAt;
  }

  @Override
  int weight() {
    return standing.weight();
  }

  // ---- groups

  /** Returns whether other lanes draw from this one's pool. */
  boolean isGroup() {
    return members != null;
  }

  /**
   * Makes this a group: returns what is {@link #around} a lane in this group and no other, one
   * array for all of them. Needs no gate.
   */
  public Lane[] asGroup() {
    Lane[] known = members;
    if (known == null) {
      known = new Lane[around.length + 1];
      known[0] = this;
      System.arraycopy(around, 0, known, 1, around.length);
      members = known;
    }
    return known;
  }

  /** Returns whether this is {@code lane}, or draws from its pool as well. */
  public boolean isIn(Lane lane) {
    boolean found = lane == this;
    for (int i = 0; i < around.length && !found; i++) {
      found = around[i] == lane;
    }
    return found;
  }

  /** Returns whether a request waits for a turn in a group that this lane draws from. */
  boolean groupsWait() {
    boolean waits = within != null && within.isReady();
    for (int i = 0; i < around.length && !waits; i++) {
      TurnOrder group = around[i].within;
      waits = group != null && group.isReady();
    }
    return waits;
  }

  /** Returns whether permits of this lane must be told how they end. */
  boolean tracks() {
    boolean tracks = own != null && own.tracks();
    for (int i = 0; i < around.length && !tracks; i++) {
      tracks = around[i].pool().tracks();
    }
    return tracks;
  }

  /** Returns the pool of a group. */
  Pool pool() {
    return requireNonNull(own);
  }

  /** Counts {@code more} open permits, here and in all groups. */
  void countOpen(int more) {
    open += more;
    for (Lane group : around) {
      group.open += more;
    }
  }

  /** Returns the sum of the costs of all waiters. */
  Cost all() {
    return all;
  }

  /**
   * Returns the first waiter that came later than number {@code order}; no waiter is called now.
   */
  @Nullable Waiter firstAfter(long order) {
    assert watch == waiters.first() : "some are called";
    Waiter after = waiters.first();
    while (after != null && after.order < order) {
      after = after.next;
    }
    return after;
  }

  /** Adds a waiter before {@code next}, which has not been called; at the end if that is null. */
  void addBefore(@Nullable Waiter next, Waiter waiter, long now) {
    assert waiter.lane == this && waiter.state == Waiter.State.GONE : waiter.state;
    assert all.calls() == waiters.size() : all.calls() + " calls of " + waiters.size();
    Cost more = all.plus(waiter.cost);
    waiters.addBefore(next, waiter);
    all = more;
    waiter.state = Waiter.State.WAITING;
    waiter.wakesAt = Clock.FOREVER;
    if (watch == next) {
      if (next != null) {
        next.wakesAt = Clock.FOREVER; // it watches no more
      }
      watch = waiter;
      waiter.since = now;
    }
  }

  /** Marks the watch as called; the next waiter becomes the watch. */
  void call(Waiter waiter, long now) {
    assert waiter == watch && waiter.state == Waiter.State.WAITING : waiter.state;
    waiter.state = Waiter.State.CALLED;
    waiter.wakesAt = Clock.FOREVER;
    watch = waiter.next;
    if (watch != null) {
      watch.since = now;
    }
  }

  /** Takes back all calls, whose turns have been given back. */
  void uncall() {
    for (Waiter w = first(); w != null && w != watch; w = w.next) {
      w.state = Waiter.State.WAITING;
    }
    if (watch != null) {
      watch.wakesAt = Clock.FOREVER;
    }
    watch = waiters.first();
  }

  void remove(Waiter waiter, long now) {
    assert waiter.lane == this && waiter.state != Waiter.State.GONE : waiter.state;
    assert all.calls() == waiters.size() : all.calls() + " calls of " + waiters.size();
    Waiter after = waiter.next;
    Cost rest = without(waiter);
    waiters.remove(waiter);
    all = rest;
    waiter.state = Waiter.State.GONE;
    if (watch == waiter) {
      watch = after;
      if (after != null) {
        after.since = now;
      }
    }
  }

  /** Subtracts; if the sum has saturated, adds up the remaining waiters anew. */
  private Cost without(Waiter leaving) {
    if (!all.isSaturated()) {
      return all.minus(leaving.cost);
    }
    Cost anew = Cost.none();
    for (Waiter w = first(); w != null; w = w.next) {
      if (w != leaving) {
        anew = anew.plus(w.cost);
      }
    }
    return anew;
  }
}
