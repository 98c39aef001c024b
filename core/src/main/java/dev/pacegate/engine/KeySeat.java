package dev.pacegate.engine;

import dev.pacegate.Snapshot;
import dev.pacegate.limit.Limit;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/**
 * A key as a seat, and what can be done to that key alone. It refers to no lane: the lane is held
 * for the time of each verb, and made by the first that needs it.
 */
public record KeySeat<K>(KeyLanes<K> keys, K key) implements Seat {

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

  /** Returns the limit of this key. */
  public Limit limit() {
    return keys.limitOf(key);
  }

  /** Gives this key a limit of its own, or the common one again. */
  public void setLimit(Limit next) {
    keys.setLimit(key, next);
  }

  /** Lets no request of this key through for another {@code nanos}; FOREVER is until resumed. */
  public void pauseFor(long nanos) {
    visit(
        (lane, duties) -> {
          duties.desk.pauseKey(lane, nanos, duties);
          return lane;
        });
  }

  /** Ends a pause of this key. */
  public void resume() {
    visit(
        (lane, duties) -> {
          duties.desk.resumeKey(lane, duties);
          return lane;
        });
  }

  /** Turns away all who wait for this key. */
  public void turnAway() {
    visit(
        (lane, duties) -> {
          duties.desk.close(lane::equals, duties);
          return lane;
        });
  }

  /** Returns what is known of this key alone; it is to be called {@code name}. */
  public Snapshot snapshot(String name) {
    return visit((lane, duties) -> duties.desk.snapshotOfKey(lane, name, duties));
  }

  private <R> R visit(BiFunction<Lane, Visit, R> step) {
    Lane lane = hold();
    try {
      return keys.visit(duties -> step.apply(lane, duties));
    } finally {
      lane.letGo();
    }
  }
}
