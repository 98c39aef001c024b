package dev.pacegate.engine;

import dev.pacegate.limit.Limit;
import dev.pacegate.time.TimerWheel;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * The lane of one key, with a pool of its own. Whoever uses it has it pinned meanwhile, so that it
 * is not dropped; once dropped it is never used again.
 */
public final class KeyLane<K> extends Lane {

  private static final int DROPPED = -1;
  private static final VarHandle PINS;

  static {
    try {
      PINS = MethodHandles.lookup().findVarHandle(KeyLane.class, "pins", int.class);
    } catch (ReflectiveOperationException impossible) {
      throw new ExceptionInInitializerError(impossible);
    }
  }

  final K key;
  private final KeyLanes<K> keys;
  private volatile int pins; // how many use it; DROPPED once it is

  /** When to see whether it is at rest; null while something has to happen before. */
  volatile TimerWheel.@Nullable Entry<KeyLane<K>> appointment;

  KeyLane(KeyLanes<K> keys, K key, Lane sibling, Pool own) {
    super(sibling, own);
    this.keys = keys;
    this.key = key;
  }

  /** Keeps the lane from being dropped; false if it has been. */
  boolean pin() {
    int seen = pins;
    while (seen != DROPPED) {
      if (PINS.compareAndSet(this, seen, seen + 1)) {
        return true;
      }
      seen = pins;
    }
    return false;
  }

  void unpin() {
    PINS.getAndAdd(this, -1);
  }

  /** Drops the lane unless somebody uses it. */
  boolean drop() {
    return PINS.compareAndSet(this, 0, DROPPED);
  }

  boolean isDropped() {
    return pins == DROPPED;
  }

  boolean isOf(KeyLanes<?> owner) {
    return keys == owner;
  }

  /** If there are too many keys by now, what is charged to a lane that is dropped is lost. */
  @Override
  Lane hold() {
    KeyLane<K> held = pin() ? this : keys.pin(key);
    return held == null ? this : held;
  }

  @Override
  void letGo() {
    if (!isDropped()) {
      keys.unpin(this);
    }
  }

  /** Puts the limit in force that all keys have by now. Nothing is open if it is another one. */
  @Override
  void refresh(long now) {
    Limit latest = keys.limit();
    if (own != null && own.limit() != latest) {
      var change = new LimitChange(now);
      change.prepare(own, latest);
      change.install();
    }
  }

  @Override
  boolean isClosed() {
    return keys.isClosed();
  }

  @Override
  OpenPermitList openOfKeys() {
    return keys.open();
  }

  @Override
  void mayRest(Visit visit) {
    keys.watch(this, visit);
  }

  @Override
  boolean mustBeToldOfEnds() {
    return appointment == null;
  }
}
