package dev.pacegate.engine;

import static java.util.Objects.requireNonNull;

import dev.pacegate.Permit;
import dev.pacegate.Snapshot;
import dev.pacegate.limit.Limit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiConsumer;
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

  /** As {@link KeyLanes#tryNow}. */
  public @Nullable Permit tryNow() {
    return keys.tryNow(key);
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
    visit((lane, visit) -> keys.state().pauseKey(lane, nanos, visit));
  }

  /** Ends a pause of this key. */
  public void resume() {
    visitKnown((lane, visit) -> keys.state().resumeKey(lane, visit));
  }

  /** Turns away all who wait for this key. */
  public void turnAway() {
    visitKnown((key, visit) -> keys.state().close(lane -> lane == key, visit));
  }

  /** Returns what is known of this key alone; it is to be called {@code name}. */
  public Snapshot snapshot(String name) {
    var snapshot = new AtomicReference<Snapshot>();
    visitKnown((lane, visit) -> snapshot.set(keys.state().snapshotOfKey(lane, name, visit)));
    if (snapshot.get() == null) {
      Limit limit = limit(); // not inside the gate, as it asks the key
      keys.visit(visit -> snapshot.set(keys.state().snapshotOfUnknownKey(limit, name, visit)));
    }
    return requireNonNull(snapshot.get());
  }

  /** Of a key that is not known there is nothing to change or to tell. */
  private void visitKnown(BiConsumer<Lane, Visit> step) {
    Lane lane = keys.pinKnown(key);
    if (lane != null) {
      visit(lane, step);
    }
  }

  private void visit(BiConsumer<Lane, Visit> step) {
    visit(hold(), step);
  }

  private void visit(Lane lane, BiConsumer<Lane, Visit> step) {
    try {
      keys.visit(visit -> step.accept(lane, visit));
    } finally {
      lane.letGo();
    }
  }
}
