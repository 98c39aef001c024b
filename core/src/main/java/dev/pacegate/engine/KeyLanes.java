package dev.pacegate.engine;

import dev.pacegate.limit.Limit;
import dev.pacegate.limit.spi.Meter;
import dev.pacegate.time.TimerWheel;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The lanes of all keys: made when a key is first used, dropped when its meter is at rest, nobody
 * waits, nothing is open, and so a fresh one would decide the same.
 *
 * <p>Keys are looked up outside the gate, as their {@code equals} is not ours. When lanes come to
 * rest is noted inside, on a wheel: one alarm, for the earliest, and none while there is none.
 */
public final class KeyLanes<K> {

  private static final int AT_A_TIME = 100;

  private static final long LEAST_NANOS_APART = 10_000_000;

  private final Engine engine;
  private final Lane sibling;
  private final int maxKeys;
  private final long beganAt; // since the limiter's origin
  private final ConcurrentHashMap<K, KeyLane<K>> lanes = new ConcurrentHashMap<>();
  private final AtomicInteger size = new AtomicInteger();
  private volatile Limit limit;

  // Guarded by the gate.
  private final TimerWheel<KeyLane<K>> appointments = new TimerWheel<>(0);
  private final ArrayDeque<KeyLane<K>> due = new ArrayDeque<>();
  private @Nullable Alarm alarm;
  private long alarmAt;
  private long lookedAt;
  private boolean closed;
  private final OpenPermitList open = new OpenPermitList(); // of all keys

  public KeyLanes(Engine engine, Lane sibling, Limit limit, int maxKeys) {
    this.engine = engine;
    this.sibling = sibling;
    this.maxKeys = maxKeys;
    this.beganAt = engine.clock().now();
    this.limit = limit;
    open.mind(LimitCheck.sample(limit));
  }

  public Limit limit() {
    return limit;
  }

  public int size() {
    return size.get();
  }

  public int maxKeys() {
    return maxKeys;
  }

  public void setLimit(Limit next) {
    Meter sample = LimitCheck.sample(next);
    engine.run(
        visit -> {
          engine.state().changeKeys(this::owns, next, visit.now);
          limit = next.equals(limit) ? limit : next;
          open.mind(sample);
          engine.state().recall(visit);
        });
  }

  /** Turns away all who wait, and whoever comes. */
  public void close() {
    engine.run(
        visit -> {
          closed = true;
          engine.state().close(this::owns, visit);
        });
  }

  /** For whoever holds the gate. */
  boolean isClosed() {
    return closed;
  }

  /** For whoever holds the gate. */
  OpenPermitList open() {
    return open;
  }

  private boolean owns(Lane lane) {
    return lane instanceof KeyLane<?> ofKey && ofKey.isOf(this);
  }

  // ---- using

  /** Returns the lane of {@code key}, pinned; null if it is a new one and there are too many. */
  public @Nullable KeyLane<K> pin(K key) {
    while (true) {
      KeyLane<K> lane = lanes.get(key);
      if (lane == null) {
        lane = make(key);
      }
      if (lane == null || lane.pin()) {
        return lane;
      }
      forget(lane); // dropped this very moment, and not yet forgotten
    }
  }

  public void unpin(KeyLane<K> lane) {
    lane.unpin();
    if (lane.appointment == null) {
      engine.run(visit -> watch(lane, visit));
    }
  }

  /**
   * Of two who bring the same new key at once, one waits a moment and gets the other's lane. It is
   * as if every key had been there from the beginning: what an earlier process may have sent for
   * it, and what this one has sent before the key was dropped, is over when that says so.
   */
  private @Nullable KeyLane<K> make(K key) {
    var made = new KeyLane<>(this, key, sibling, engine.newPool(limit, beganAt));
    return lanes.computeIfAbsent(key, k -> takesRoom() ? made : null);
  }

  private boolean takesRoom() {
    int seen = size.get();
    while (seen < maxKeys && !size.compareAndSet(seen, seen + 1)) {
      seen = size.get();
    }
    return seen < maxKeys;
  }

  private void forget(KeyLane<K> lane) {
    if (lanes.remove(lane.key, lane)) {
      size.decrementAndGet();
    }
  }

  // ---- dropping

  /** Makes an appointment for when {@code lane} is at rest, if only time must pass until then. */
  void watch(KeyLane<K> lane, Visit visit) {
    if (lane.appointment != null || lane.isDropped() || !lane.isEmpty()) {
      return;
    }
    long wait = restsIn(lane, visit.now);
    if (wait < Meter.AT_EVENT) {
      lane.appointment = appointments.add(Clock.later(visit.now, wait), lane);
      setAlarm(visit);
    }
  }

  private static long restsIn(KeyLane<?> lane, long now) {
    if (lane.open > 0) {
      return Meter.AT_EVENT; // though its own meter may not mind, another limit for keys may
    }
    return lane.own == null ? 0 : lane.own.restsIn(now);
  }

  /** Puts the limit in force that keys have by now; returns whether that remembers for longer. */
  private boolean takesOver(KeyLane<K> lane, long now) {
    if (lane.own == null || lane.own.limit().equals(limit)) {
      return false;
    }
    lane.refresh(now);
    return restsIn(lane, now) > 0;
  }

  /** One alarm for all, and not for each lane of many that come to rest shortly after another. */
  private void setAlarm(Visit visit) {
    long wait = appointments.nanosUntilNext(visit.now);
    if (wait == Long.MAX_VALUE) {
      return;
    }
    long at = Math.max(Clock.later(visit.now, wait), lookedAt + LEAST_NANOS_APART);
    if (alarm != null) {
      if (at >= alarmAt) {
        return;
      }
      visit.cancel(alarm);
    }
    alarmAt = at;
    alarm = engine.clock().outside(at, rung -> engine.handOver(this::dropIdle));
    visit.start(alarm);
  }

  private void dropIdle() {
    var dropped = new ArrayList<KeyLane<K>>();
    boolean more = true;
    while (more) {
      more = engine.visit(visit -> dropSome(dropped, visit));
      dropped.forEach(lane -> engine.perform(() -> forget(lane))); // a key may fail
      dropped.clear();
    }
  }

  /** Looks at some of those that may be at rest; returns whether there are more. */
  private boolean dropSome(List<KeyLane<K>> dropped, Visit visit) {
    if (due.isEmpty()) {
      appointments.expire(visit.now, due::add);
      alarm = null;
      lookedAt = visit.now;
    }
    for (int i = 0; i < AT_A_TIME && !due.isEmpty(); i++) {
      KeyLane<K> lane = due.remove();
      lane.appointment = null;
      if (!lane.isEmpty() || restsIn(lane, visit.now) > 0 || takesOver(lane, visit.now)) {
        watch(lane, visit);
      } else if (lane.drop()) { // whoever has it pinned will watch it again
        dropped.add(lane);
      }
    }
    if (due.isEmpty()) {
      setAlarm(visit);
    }
    return !due.isEmpty();
  }
}
