package dev.pacegate.engine.keys;

import dev.pacegate.engine.Engine;
import dev.pacegate.engine.Lane;
import dev.pacegate.engine.visit.Alarm;
import dev.pacegate.engine.visit.Clock;
import dev.pacegate.engine.visit.Visit;
import dev.pacegate.limit.spi.Meter;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Drops the lanes of keys that are at rest. A queue holds the instants at which lanes come to rest,
 * with one alarm for the earliest, and none if it is empty. Guarded by the gate.
 *
 * <p>The alarm does not keep the keys reachable: a keyed limiter that the program no longer refers
 * to is collected, whatever its keys owe. Keys in groups are collected once they are at rest, as
 * they keep their groups known until then.
 */
final class RestWatch<K> {

  private static final int AT_A_TIME = 100;
  private static final long LEAST_NANOS_APART = 10_000_000;

  private final KeyLanes<K> keys;
  private final RestQueue<K> resting = new RestQueue<>();
  private @Nullable Alarm alarm;
  private long alarmAt;
  private long checkedAt;

  RestWatch(KeyLanes<K> keys) {
    this.keys = keys;
  }

  /** The keys are closed: nothing is dropped any more. */
  void stop(Visit visit) {
    resting.clear();
    if (alarm != null) {
      visit.cancel(alarm);
      alarm = null;
    }
  }

  /**
   * Schedules a check of {@code lane} for the instant at which it is at rest, if time alone leads
   * there.
   */
  void watch(KeyLane<K> lane, Visit visit) {
    assert keys.isInside();
    if (lane.awaitsRest || keys.isClosed() || lane.isDropped() || !lane.isEmpty()) {
      return;
    }
    checkIn(lane, restsIn(lane, visit), visit);
  }

  private void checkIn(KeyLane<K> lane, long wait, Visit visit) {
    if (wait < Meter.AT_EVENT) {
      await(lane, wait, visit);
      setAlarm(visit);
    }
  }

  private void await(KeyLane<K> lane, long wait, Visit visit) {
    lane.restsAt = Clock.later(visit.now, wait);
    resting.add(lane);
    lane.awaitsRest = true;
  }

  private long restsIn(KeyLane<?> lane, Visit visit) {
    if (lane.open > 0 || lane.late > 0) {
      return Meter.AT_EVENT; // its own meter may not need the end, but a later limit may
    }
    try {
      return lane.own == null ? 0 : lane.own.restsIn(visit.now);
    } catch (VirtualMachineError e) {
      throw e; // of the caller's stack or memory, not of the meter
    } catch (Throwable failure) { // no matter to the caller, who may just have got a permit
      failed(failure, visit);
      return Lane.FAILED_NANOS;
    }
  }

  /** A meter of a key has failed, which is no matter to others: reports it after the visit. */
  void failed(Throwable failure, Visit visit) {
    visit.add(() -> report(failure, visit.now));
  }

  private void report(Throwable failure, long now) {
    if (engine().reporter.isDue("rest", now)) {
      engine().reporter.failed("a meter of a key", failure);
    }
  }

  /** Puts the latest limit in force; returns for how long that remembers, if for longer. */
  private long takeOver(KeyLane<K> lane, Visit visit) {
    if (lane.own == null || lane.own.limit().equals(lane.latest())) {
      return 0;
    }
    lane.refresh(visit.now);
    return restsIn(lane, visit);
  }

  /** Sets one alarm for all lanes, as many may come to rest shortly after one another. */
  private void setAlarm(Visit visit) {
    KeyLane<K> first = resting.first();
    if (first == null) {
      return;
    }
    long at = Math.max(first.restsAt, checkedAt + LEAST_NANOS_APART);
    if (alarm != null) {
      if (at >= alarmAt) {
        return;
      }
      visit.cancel(alarm);
    }
    alarmAt = at;
    alarm = engine().clock.outside(at, keys.groups.isEmpty() ? ringing(keys.weakly) : this::rings);
    visit.start(alarm);
  }

  private static <K> Consumer<Alarm> ringing(WeakReference<KeyLanes<K>> keys) {
    return rung -> {
      KeyLanes<K> known = keys.get();
      if (known != null) {
        known.rest.rings(rung);
      }
    };
  }

  private void rings(Alarm rung) {
    engine().handOver(() -> dropIdle(rung));
  }

  private void dropIdle(Alarm rung) {
    var dropped = new ArrayList<KeyLane<K>>();
    boolean more = true;
    while (more) {
      try {
        more = engine().visit(visit -> dropSome(rung, dropped, visit));
      } finally { // a meter may fail after others were dropped
        dropped.forEach(lane -> engine().perform(() -> keys.forget(lane))); // a key may fail
        dropped.forEach(KeyLane::leaveGroups);
        dropped.clear();
      }
    }
  }

  /** Drops some of the lanes that may be at rest; returns whether there are more. */
  private boolean dropSome(Alarm rung, List<KeyLane<K>> dropped, Visit visit) {
    if (alarm == rung) {
      alarm = null;
    }
    checkedAt = visit.now;
    int looked = 0;
    KeyLane<K> lane = resting.first();
    while (lane != null && lane.restsAt <= visit.now && looked++ < AT_A_TIME) {
      resting.removeFirst();
      lane.awaitsRest = false;
      dropIfAtRest(lane, dropped, visit);
      lane = resting.first();
    }
    boolean more = lane != null && lane.restsAt <= visit.now;
    if (!more) {
      setAlarm(visit);
    }
    return more;
  }

  private void dropIfAtRest(KeyLane<K> lane, List<KeyLane<K>> dropped, Visit visit) {
    boolean looked = false;
    try {
      long wait = lane.isEmpty() ? restsIn(lane, visit) : Meter.AT_EVENT;
      wait = wait == 0 ? takeOver(lane, visit) : wait;
      if (wait > 0) {
        checkIn(lane, wait, visit);
      } else if (lane.drop()) { // a caller that has it pinned will schedule the next check
        dropped.add(lane);
        KeyLanes.retire(lane, visit);
      }
      looked = true;
    } finally {
      if (!looked) {
        checkLater(lane, visit);
      }
    }
  }

  /** Its next limit has failed. The others are looked at meanwhile. */
  private void checkLater(KeyLane<K> lane, Visit visit) {
    if (!lane.isDropped() && !lane.awaitsRest) {
      await(lane, Lane.FAILED_NANOS, visit);
    }
    setAlarm(visit);
  }

  private Engine engine() {
    return keys.engine;
  }
}
