package dev.pacegate.engine.keys;

import dev.pacegate.Snapshot;
import dev.pacegate.engine.Lane;
import dev.pacegate.engine.LimiterControl;
import dev.pacegate.engine.Pool;
import dev.pacegate.engine.Refusal;
import dev.pacegate.engine.Seat;
import dev.pacegate.limit.Limit;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The seat of a key, and the operations on that key alone. It refers to no lane: each operation
 * holds the lane while it runs, and the first one that needs it makes it.
 */
public record KeySeat<K>(KeyLanes<K> keys, K key) implements Seat, LimiterControl {

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
  public @Nullable Limit ownLimit() {
    if (keys.groups.isEmpty()) {
      return limit();
    }
    try (Lane lane = hold()) {
      return lane.ownLimit();
    }
  }

  @Override
  public boolean countsPlainCosts() {
    return keys.countPlainCosts();
  }

  @Override
  public String name() {
    return keys.engine.name() + "[" + key + "]";
  }

  @Override
  public Limit limit() {
    return keys.limitOf(key);
  }

  @Override
  public List<Limit> limits() {
    if (keys.groups.isEmpty()) {
      return List.of(limit(), keys.engine.limit());
    }
    var limits = new ArrayList<Limit>();
    try (Lane lane = hold()) {
      limits.add(limit());
      for (Lane group : lane.around) {
        limits.add(((KeyLane<?>) group).latest());
      }
    }
    limits.add(keys.engine.limit());
    return limits;
  }

  /** Gives this key a limit of its own; one that equals the limit of all keys removes it. */
  @Override
  public void setLimit(Limit next) {
    keys.setLimit(key, next);
  }

  @Override
  public void pauseFor(long nanos) {
    try (Lane lane = hold()) {
      keys.engine.run(visit -> keys.engine.state.pauseKey(lane, nanos, visit));
    }
    keys.engine.reporter.recordPause("program, a key", nanos);
  }

  @Override
  public void resume() {
    try (Lane lane = keys.pinKnown(key)) {
      if (lane != null) {
        keys.engine.run(visit -> keys.engine.state.resumeKey(lane));
      }
    }
  }

  @Override
  public void dryRun(boolean on) {
    throw new UnsupportedOperationException(
        "dryRun is for all keys together: use KeyedLimiter.all()");
  }

  @Override
  public Lane lane(String name) {
    throw new UnsupportedOperationException(
        "a key has no lanes of its own: give its KeyedLimiter within(all.lane(name))");
  }

  @Override
  public Snapshot snapshot() {
    String name = name(); // outside the gate, as it calls the key's toString
    try (Lane lane = keys.pinKnown(key)) {
      Pool pool = lane == null || lane.own == null ? keys.newPool(key) : lane.own;
      return keys.engine.visit(visit -> keys.engine.state.snapshotOfKey(name, lane, pool, visit));
    }
  }

  /** Refuses all waiters of this key. */
  @Override
  public void close() {
    try (Lane lane = keys.pinKnown(key)) {
      if (lane != null) {
        keys.engine.run(
            visit ->
                keys.engine.state.queue.turnAway(each -> each.isIn(lane), Refusal.CLOSED, visit));
      }
    }
  }
}
