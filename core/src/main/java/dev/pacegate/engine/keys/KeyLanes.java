package dev.pacegate.engine.keys;

import dev.pacegate.Permit;
import dev.pacegate.TooManyKeysException;
import dev.pacegate.engine.AcquireMode;
import dev.pacegate.engine.Engine;
import dev.pacegate.engine.KeyGroup;
import dev.pacegate.engine.Lane;
import dev.pacegate.engine.LimitCheck;
import dev.pacegate.engine.OpenPermitList;
import dev.pacegate.engine.PermitAges;
import dev.pacegate.engine.Pool;
import dev.pacegate.engine.Refusal;
import dev.pacegate.engine.cost.PlainCosts.Treatment;
import dev.pacegate.engine.visit.Visit;
import dev.pacegate.gate.Gate;
import dev.pacegate.history.Succession;
import dev.pacegate.limit.Cost;
import dev.pacegate.limit.Limit;
import dev.pacegate.limit.spi.MeterSource;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * The lanes of all keys. A lane is made when its key is first used. It is dropped when its meter is
 * at rest, no request waits and no permit is open, so that a fresh lane would decide the same.
 *
 * <p>Keys are looked up outside the gate, as their {@code equals} is user code.
 */
public final class KeyLanes<K> implements KeyGroup {

  private static final int AT_A_TIME = 100;

  @SuppressWarnings("rawtypes") // one for all types of keys; spares each limiter an object
  private static final AtomicIntegerFieldUpdater<KeyLanes> SIZE =
      AtomicIntegerFieldUpdater.newUpdater(KeyLanes.class, "size");

  public final Engine engine;
  final Lane sibling;
  private final int maxKeys;
  private final int maxWaitingPerKey;
  private final long beganAt; // since the limiter's origin
  private final ConcurrentHashMap<K, KeyLane<K>> lanes =
      new ConcurrentHashMap<>(1); // most keyed limiters have few keys
  private volatile Map<K, Limit> ownLimits = Map.of(); // a map to change once there is any
  private volatile int size; // of keys with a lane, or a limit of their own; changed by SIZE
  final @Nullable KeyFeeds<K> feeds; // if a source counts the limits
  final KeyGroups<K> groups;
  private volatile Limit limit;
  private volatile boolean countPlainCosts; // all limits that keys have had so far
  private volatile boolean closed;

  final WeakReference<KeyLanes<K>> weakly = new WeakReference<>(this);

  // Guarded by the gate.
  final RestWatch<K> rest = new RestWatch<>(this);
  private @Nullable OpenPermitList open; // of all keys, once there are any
  PermitAges ages; // of those permits

  /**
   * @throws IllegalArgumentException if the limit is not sound, or the source cannot count it
   */
  public KeyLanes(
      Engine engine,
      Lane sibling,
      Limit limit,
      int maxKeys,
      int maxWaitingPerKey,
      @Nullable MeterSource source,
      KeyGroups<K> groups) {
    this.engine = engine;
    this.sibling = sibling;
    this.maxKeys = maxKeys;
    this.maxWaitingPerKey = maxWaitingPerKey;
    this.beganAt = engine.clock.now();
    this.limit = limit;
    this.countPlainCosts = Treatment.by(limit) == Treatment.COUNTED;
    this.ages = PermitAges.of(limit, LimitCheck.sample(limit));
    this.groups = groups;
    this.feeds = source == null ? null : new KeyFeeds<>(this, source);
    if (feeds != null) {
      feeds.open();
    }
    engine.add(weakly);
    engine.reporter.warnOf("limit of each key", limit);
  }

  public Limit limit() {
    return limit;
  }

  public int size() {
    return closed ? 0 : size;
  }

  int maxWaitingPerKey() {
    return maxWaitingPerKey;
  }

  TooManyKeysException tooMany() {
    KeyLanes<?> full = isFull() ? null : groups.full();
    return full == null ? new TooManyKeysException(engine.name(), maxKeys) : full.tooMany();
  }

  boolean isFull() {
    return size >= maxKeys;
  }

  /** Returns whether every limit that a key may have now counts plain costs. */
  boolean countPlainCosts() {
    return countPlainCosts;
  }

  /**
   * A limit of keys, or of one, becomes one that treats plain costs as {@code next}. Called just
   * before, once nothing more can refuse it: from now on a cost that no limit counts is no error.
   */
  private void changeCosts(Treatment before, Treatment next) {
    engine.costs.changeKeys(before, next);
    if (next != Treatment.COUNTED) {
      countPlainCosts = false;
    }
  }

  /** Replaces the limit of all keys except those with a limit of their own. */
  public void setLimit(Limit next) {
    if (feeds == null) {
      putInForce(next);
    } else {
      feeds.setLimit(next);
    }
  }

  void putInForce(Limit next) {
    Limit before = limit;
    var nextAges = PermitAges.of(next, LimitCheck.sample(next));
    engine.costs.know(next);
    Treatment from = Treatment.by(before);
    Treatment to = Treatment.by(next);
    engine.run(
        visit -> {
          engine.state.changeKeys(this::followsCommonLimit, next, visit.now);
          changeCosts(from, to);
          limit = next.equals(limit) ? limit : next;
          ages = nextAges;
          if (open != null) {
            open.mind(ages);
          }
        });
    followLimit();
    engine.reporter.recordChange("limit of each key", before, next);
  }

  /** Changes lane by lane, so that the gate is never held for long. */
  private void followLimit() {
    for (KeyLane<K> lane : lanes.values()) {
      if (lane.pin()) {
        try (lane) {
          engine.run(visit -> engine.state.followChange(lane));
        }
      }
    }
  }

  private boolean followsCommonLimit(Lane lane) {
    return lane instanceof KeyLane<?> ofKey && ofKey.isOf(this) && ofKey.ownLimit == null;
  }

  /**
   * Refuses all waiters and all later callers, and drops all keys. Open permits can still be ended.
   */
  public void close() {
    engine.run(
        visit -> {
          closed = true;
          engine.state.queue.turnAway(lane -> KeyGroups.isUnder(this, lane), Refusal.CLOSED, visit);
          rest.stop(visit);
        });
    if (feeds != null) {
      lanes.values().forEach(this::retire);
    }
    lanes.values().forEach(KeyLane::leaveGroups);
    lanes.clear();
    ownLimits = Map.of();
  }

  public boolean isClosed() {
    return closed;
  }

  @Override
  public @Nullable String unavailable(long now) {
    return closed || feeds == null ? null : feeds.unavailable(now);
  }

  @Override
  public boolean fails(long now) {
    return !closed && feeds != null && feeds.fails(now);
  }

  @Override
  public void resumeKeys() {
    var some = new ArrayList<KeyLane<K>>();
    for (KeyLane<K> lane : lanes.values()) {
      some.add(lane);
      if (some.size() == AT_A_TIME) {
        resume(some);
        some.clear();
      }
    }
    resume(some);
  }

  private void resume(List<KeyLane<K>> some) {
    engine.run(visit -> some.forEach(lane -> resumeIfPaused(lane, visit)));
  }

  private void resumeIfPaused(KeyLane<K> lane, Visit visit) {
    if (lane.own != null && lane.own.isPaused(visit.now)) {
      engine.state.resumeKey(lane);
      rest.watch(lane, visit);
    }
  }

  /** For callers that hold the gate. */
  OpenPermitList open() {
    assert isInside();
    if (open == null) {
      var made = new OpenPermitList();
      made.mind(ages);
      open = made;
    }
    groups.mindAges(open, ages);
    return open;
  }

  /** Returns whether the gate is held; it does not know by which thread. */
  boolean isInside() {
    return engine.gate.word == Gate.HELD;
  }

  boolean owns(Lane lane) {
    return lane instanceof KeyLane<?> ofKey && ofKey.isOf(this);
  }

  // ---- limits of single keys

  Limit limitOf(K key) {
    return ownLimits.getOrDefault(key, limit);
  }

  /** Gives {@code key} a limit of its own. */
  void setLimit(K key, Limit next) {
    if (feeds == null) {
      putInForce(key, next);
    } else {
      feeds.setLimit(key, next);
    }
  }

  /**
   * Gives {@code key} a limit of its own, which outlives its lane; setting the common limit removes
   * it. The map serialises this with the making and the dropping of a lane.
   *
   * @throws TooManyKeysException if there is no room for a limit of this key
   */
  void putInForce(K key, Limit next) {
    Limit before = limitOf(key);
    LimitCheck.sample(next);
    engine.costs.know(next);
    Treatment from = Treatment.by(before);
    Treatment to = Treatment.by(next);
    var kept = new AtomicReference<@Nullable Limit>();
    Limit own = next.equals(limit) ? null : next;
    KeyLane<K> lane =
        lanes.compute(
            key,
            (k, known) -> {
              if (own != null && !closed) {
                takeRoom(k, known != null);
              }
              changeCosts(from, to);
              kept.set(ownLimits.get(k));
              noteLimit(k, own, known != null);
              if (known != null) {
                known.ownLimit = own;
              }
              return known;
            });
    if (lane != null && lane.pin()) {
      try (lane) {
        change(lane, own, kept.get());
      }
    }
    engine.reporter.recordChange("limit of a key", before, next);
  }

  /** Puts the limit of its own in force in a pinned lane, or else keeps the one before. */
  private void change(KeyLane<K> lane, @Nullable Limit own, @Nullable Limit kept) {
    boolean changed = false;
    try {
      engine.run(visit -> change(lane, visit));
      changed = true;
    } finally {
      if (!changed) {
        lanes.computeIfPresent(lane.key, (k, known) -> keep(known, own, kept));
      }
    }
  }

  private void change(KeyLane<K> lane, Visit visit) {
    if (!closed) { // otherwise its meter has been retired
      engine.state.changeKey(lane, lane.latest(), visit);
    }
  }

  @SuppressWarnings("ReferenceEquality") // another change may have come between
  private KeyLane<K> keep(KeyLane<K> lane, @Nullable Limit own, @Nullable Limit kept) {
    if (lane.ownLimit == own) {
      noteLimit(lane.key, kept, true);
      lane.ownLimit = kept;
    }
    return lane;
  }

  /** Takes room for a limit of {@code key}, unless it has some. */
  private void takeRoom(K key, boolean hasLane) {
    if (!hasLane && !ownLimits.containsKey(key) && !takesRoom()) {
      throw tooMany();
    }
  }

  private void noteLimit(K key, @Nullable Limit own, boolean hasLane) {
    if (own != null && !closed) {
      changeableOwnLimits().put(key, own);
    } else if (ownLimits instanceof ConcurrentHashMap<K, Limit> changeable
        && changeable.remove(key) != null
        && !hasLane) {
      SIZE.decrementAndGet(this);
    }
  }

  private synchronized Map<K, Limit> changeableOwnLimits() {
    Map<K, Limit> known = ownLimits;
    if (!(known instanceof ConcurrentHashMap)) {
      known = new ConcurrentHashMap<>();
      ownLimits = known;
    }
    return known;
  }

  // ---- using

  /** Returns the lane of {@code key}, pinned; null if it has none. */
  @Nullable KeyLane<K> pinKnown(K key) {
    KeyLane<K> lane = lanes.get(key);
    return lane != null && lane.pin() ? lane : null;
  }

  /** Returns the lane of {@code key}, pinned; null if it is a new key and there are too many. */
  @Nullable KeyLane<K> pin(K key) {
    while (true) {
      KeyLane<K> lane = lanes.get(key);
      if (lane == null) {
        lane = make(key);
      }
      if (lane == null || lane.pin()) {
        return lane;
      }
      forget(lane); // dropped this very moment, and still in the map
    }
  }

  /** As {@link Engine#tryNow}, for {@code key} at cost 1, without allocating a seat. */
  public @Nullable Permit tryNow(K key) {
    try (KeyLane<K> lane = pin(key)) {
      return lane == null ? null : engine.tryNow(lane, Cost.ONE, AcquireMode.TRY);
    }
  }

  void unpin(KeyLane<K> lane) {
    lane.unpin();
    if (!lane.awaitsRest) {
      engine.run(visit -> rest.watch(lane, visit));
    }
  }

  /**
   * Makes the lane of a new key. If two threads bring the same key, one waits a moment and gets the
   * other's lane. The lane begins as if the key had been there from the start, so what an earlier
   * process may have sent for it, and what was sent before the key was dropped, ends as it would
   * have then.
   */
  private @Nullable KeyLane<K> make(K key) {
    Lane[] around = groups.pin(key);
    return around == null ? null : make(key, around);
  }

  private @Nullable KeyLane<K> make(K key, Lane[] around) {
    Succession meters = feeds == null ? Succession.PLAIN : feeds.of(key);
    KeyLane<K> made = null;
    KeyLane<K> known = null;
    try {
      Pool pool = engine.newPool(limitOf(key), beganAt, meters);
      made = new KeyLane<>(this, key, sibling, pool, around);
      known = known(made);
    } finally {
      if (made == null) {
        KeyGroups.unpin(around);
      } else if (known != made || closed) { // close() may not have seen it
        made.leaveGroups();
      }
    }
    if (feeds != null) {
      feeds.open(made);
      if (known != made || closed) {
        retire(made);
      }
    }
    return known == null && closed ? made : known; // a lane that refuses all callers
  }

  /** Returns the lane of a key: {@code made}, unless there is one. Null if there are too many. */
  private @Nullable KeyLane<K> known(KeyLane<K> made) {
    return lanes.computeIfAbsent(made.key, k -> takesRoom(k, made) ? made : null);
  }

  private void retire(KeyLane<K> lane) {
    engine.run(visit -> retire(lane, visit));
  }

  static void retire(KeyLane<?> lane, Visit visit) {
    if (lane.own != null) {
      lane.own.succession().retire(visit.now);
    }
  }

  /** Returns the pool that {@code key} would have before its first use, to look at. */
  Pool newPool(K key) {
    return engine.newPool(limitOf(key), beganAt, Succession.PLAIN);
  }

  private boolean takesRoom(K key, KeyLane<K> made) {
    made.ownLimit = ownLimits.get(key);
    return !closed && (made.ownLimit != null || takesRoom());
  }

  private boolean takesRoom() {
    int seen = size;
    while (seen < maxKeys && !SIZE.compareAndSet(this, seen, seen + 1)) {
      seen = size;
    }
    return seen < maxKeys;
  }

  void forget(KeyLane<K> lane) {
    lanes.computeIfPresent(lane.key, (key, known) -> known == lane ? withoutLane(key) : known);
  }

  /** A key with a limit of its own still takes room. */
  private @Nullable KeyLane<K> withoutLane(K key) {
    if (!ownLimits.containsKey(key)) {
      SIZE.decrementAndGet(this);
    }
    return null;
  }
}
