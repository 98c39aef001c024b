package dev.pacegate.engine;

import static java.util.Objects.requireNonNull;

import dev.pacegate.Share;
import dev.pacegate.limit.Cost;
import dev.pacegate.limit.Portion;
import org.jspecify.annotations.Nullable;

/**
 * A line of those who wait, in the order in which they came, beside the lines of other lanes.
 * Guarded by the gate.
 *
 * <p>Some at the front may have been <em>called</em>: told to come and take their permits, which
 * are not charged until they do. The first who has not been called is the <em>watch</em>: the only
 * one for whom it is known when its turn comes.
 */
/*
 * What needs stack or memory comes before the first change: an error leaves the line as it was.
 */
public class Lane extends Chain.Link<Lane> implements Seat, AutoCloseable {

  /**
   * What a lane is called, and how it stands beside others.
   *
   * @param weight how fast its turn comes again
   * @param percent how much of the limit is reserved for it
   * @param reserve the pool of that, where there is any
   */
  record Standing(String name, int weight, int percent, @Nullable Pool reserve) {}

  /** What a request of plain cost 1 moves the turn of a lane of weight 1. */
  static final long STEP = 1L << 20;

  /** More than this counts as this in a turn, so that turns can be told apart. */
  private static final long DEAREST = 1L << 34;

  /** The most by which a request moves a turn. */
  static final long LONGEST_STEP = DEAREST * STEP;

  final Standing standing;
  final @Nullable Pool own; // what only this lane draws from, beside the whole
  final boolean isPlain; // whether it draws from nothing but the whole

  long turn; // the lane whose turn is least goes first
  int place = -1; // among those whose turn may have come; negative if not among them
  int open; // how many of its permits have not ended
  int late; // how many of its futures were called and no thread has come in time
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
   * A lane of a limiter of which {@code anyReserved} says whether some lane has a reserved share.
   */
  Lane(String name, Share share, Options options, boolean anyReserved) {
    this(
        new Standing(
            name,
            share.weight(),
            share.reservedPercent(),
            share.reservedPercent() == 0 ? null : reserve(options, share.reservedPercent())),
        null,
        !anyReserved);
  }

  /** A lane beside {@code sibling}, with a pool of its own. */
  Lane(Lane sibling, Pool own) {
    this(sibling.standing, own, false);
  }

  private static Pool reserve(Options options, int percent) {
    return new Pool(options.limit().share(Portion.of(percent)), 0, options.time());
  }

  /** Returns this lane, or the one in its place if it has been dropped. */
  @Override
  public Lane hold() {
    return this;
  }

  @Override
  public Lane tryHold() {
    return hold();
  }

  /** Ends a {@linkplain #hold hold}: the lane may be dropped again. */
  @Override
  public void close() {}

  /** Called before anything is asked of this lane's own pool. */
  void refresh(long now) {}

  /** Returns whether no request is let through here any more. */
  boolean turnsAway() {
    return false;
  }

  /** Returns whether as many wait here as may. */
  boolean isFull() {
    return false;
  }

  /** Returns where permits of this lane are noted while open; null if with those of no key. */
  @Nullable OpenPermitList openOfKeys() {
    return null;
  }

  /** Called when somebody has left this lane, or a permit of it has ended. */
  void mayRest(Visit visit) {}

  /** Returns whether {@link #mayRest} needs to be called after a permit has ended. */
  boolean mustBeToldOfEnds() {
    return false;
  }

  /** Returns what only this lane may draw from, in place of what is common. */
  @Nullable Pool reserve() {
    return standing.reserve();
  }

  boolean isEmpty() {
    return waiters.size() == 0;
  }

  int size() {
    return waiters.size();
  }

  @Nullable Waiter first() {
    return waiters.first();
  }

  @Nullable Waiter watch() {
    return watch;
  }

  /** Returns since when the watch, which there must be, has waited. */
  long waitedSince() {
    return requireNonNull(watch).arrivedAt;
  }

  /** Returns the sum of what everybody in line asks for. */
  Cost all() {
    return all;
  }

  /** Returns by how much a request moves this lane's turn; even one that costs nothing has one. */
  long step(Cost cost) {
    return Math.max(1, Math.min(cost.amount(), DEAREST)) * STEP / standing.weight();
  }

  void add(Waiter waiter, long now) {
    Cost more = all.plus(waiter.cost);
    waiters.add(waiter);
    all = more;
    waiter.state = Waiter.State.WAITING;
    waiter.looksAt = Clock.FOREVER;
    if (watch == null) {
      watch = waiter;
      waiter.since = now;
    }
  }

  /** Puts one back in line who had been called, and nobody now is: to its place in the order. */
  void putBack(Waiter waiter, long now) {
    Waiter after = waiters.first();
    while (after != null && after.order < waiter.order) {
      after = after.next;
    }
    Cost more = all.plus(waiter.cost);
    waiters.addBefore(after, waiter);
    all = more;
    waiter.state = Waiter.State.WAITING;
    waiter.looksAt = Clock.FOREVER;
    if (watch == after) {
      watch = waiter;
      waiter.since = now;
    }
  }

  /** Marks the watch as called and moves the watch on. */
  void call(Waiter waiter, long now) {
    waiter.state = Waiter.State.CALLED;
    waiter.looksAt = Clock.FOREVER;
    watch = waiter.next;
    if (watch != null) {
      watch.since = now;
    }
  }

  /** Makes everybody wait again who has been called, and gives back their turns. */
  void uncall() {
    for (Waiter w = first(); w != null && w != watch; w = w.next) {
      w.state = Waiter.State.WAITING;
      turn -= step(w.cost);
    }
    if (watch != null) {
      watch.looksAt = Clock.FOREVER;
    }
    watch = waiters.first();
  }

  void remove(Waiter waiter, long now) {
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

  /** Subtracts; where the sum has saturated, adds up anew those who stay. */
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
