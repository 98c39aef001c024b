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
public class Lane extends Chain.Link<Lane> implements Seat, AutoCloseable {

  /**
   * The name of a lane and its share.
   *
   * @param weight how fast its turn comes again
   * @param percent how much of the limit is reserved for it
   * @param reserve the pool of the reserved share, null if there is none
   */
  record Standing(String name, int weight, int percent, @Nullable Pool reserve) {}

  /** How far a request of plain cost 1 moves the turn of a lane of weight 1. */
  static final long STEP = 1L << 20;

  /** Larger costs count as this in a turn, so that turns can be compared. */
  private static final long DEAREST = 1L << 34;

  /** The most by which a request moves a turn. */
  static final long LONGEST_STEP = DEAREST * STEP;

  final Standing standing;
  public final @Nullable Pool own; // which only this lane draws from, besides the whole
  final boolean isPlain; // whether it draws from the whole alone

  long turn; // the lane with the least turn goes first
  int place = -1; // in the heap of lanes whose turn may have come; negative if not in it
  public int open; // how many of its permits have not ended
  public int late; // how many of its futures were called but not collected in time
  boolean absent; // waits for its own pool: takes no part in turns meanwhile
  @Nullable Alarm alarm; // of the watch, if that is a future

  private final Chain<Waiter> waiters = new Chain<>();
  private @Nullable Waiter watch;
  private Cost all = Cost.none();

  private Lane(Standing standing, @Nullable Pool own, boolean isPlain) {
    this.standing = standing;
    this.own = own;
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
        !anyReserved);
  }

  /** Creates a lane beside {@code sibling}, with a pool of its own. */
  public Lane(Lane sibling, Pool own) {
    this(sibling.standing, own, false);
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

  /** Called before this lane's own pool is used. */
  public void refresh(long now) {}

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

  /** Returns the pool of this lane's reserved share; null if it has none. */
  @Nullable Pool reserve() {
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

  /** Returns since when the watch has waited. There must be one. */
  long waitedSince() {
    return requireNonNull(watch).arrivedAt;
  }

  /** Returns the sum of the costs of all waiters. */
  Cost all() {
    return all;
  }

  /** Returns how far a request moves this lane's turn; a request that costs 0 moves it, too. */
  long step(Cost cost) {
    return Math.max(1, Math.min(cost.amount(), DEAREST)) * STEP / standing.weight();
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

  /** Takes back all calls and their turns. */
  void uncall() {
    for (Waiter w = first(); w != null && w != watch; w = w.next) {
      w.state = Waiter.State.WAITING;
      turn -= step(w.cost);
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
