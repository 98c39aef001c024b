package dev.pacegate.engine;

import dev.pacegate.Snapshot;
import dev.pacegate.limit.Limit;
import org.jspecify.annotations.Nullable;

/**
 * A key as a seat, and what can be done to that key alone. It refers to no lane: the lane is held
 * for the time of each verb, and made by the first that needs it.
 */
public record KeySeat<K>(KeyLanes<K> keys, K key) implements Seat, Steered {

  @Override
  public Lane hold() {
    Lane lane = keys.pin(key);
    if (lane == null) {
      throw keys.tooMany();
    }
    return lane;
  }

  @Override
  public @Nullable Lane tryHold() {
    return keys.pin(key);
  }

  @Override
  public String name() {
    return keys.engine.name() + "[" + key + "]";
  }

  @Override
  public Limit limit() {
    return keys.limitOf(key);
  }

  /** Gives this key a limit of its own; the limit of all keys is none. */
  @Override
  public void setLimit(Limit next) {
    keys.setLimit(key, next);
  }

  @Override
  public void pauseFor(long nanos) {
    try (Lane lane = hold()) {
      keys.engine.run(visit -> keys.engine.state.pauseKey(lane, nanos, visit));
    }
  }

  @Override
  public void resume() {
    try (Lane lane = keys.pinKnown(key)) {
      if (lane != null) {
        keys.engine.run(visit -> keys.engine.state.resumeKey(lane, visit));
      }
    }
  }

  @Override
  public void dryRun(boolean on) {
    throw new UnsupportedOperationException(
        "one key cannot be observed only: all can, by KeyedLimiter.all()");
  }

  @Override
  public Lane lane(String name) {
    throw new UnsupportedOperationException(
        "a key stands in the lane that its KeyedLimiter is within: within(all.lane(name))");
  }

  @Override
  public Snapshot snapshot() {
    String name = name(); // not inside the gate, as it asks the key
    try (Lane lane = keys.pinKnown(key)) {
      Pool pool = lane == null || lane.own == null ? keys.newPool(key) : lane.own;
      return keys.engine.visit(visit -> keys.engine.state.snapshotOfKey(name, lane, pool, visit));
    }
  }

  /** Turns away all who wait for this key. */
  @Override
  public void close() {
    try (Lane lane = keys.pinKnown(key)) {
      if (lane != null) {
        keys.engine.run(visit -> keys.engine.state.close(each -> each == lane, visit));
      }
    }
  }
}
