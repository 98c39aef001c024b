package dev.pacegate.engine;

import dev.pacegate.limit.Limit;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * The lane of one key, with a pool of its own. A caller has it pinned while it uses it, so that it
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

  /** The limit of this key alone, if it has one. */
  volatile @Nullable Limit ownLimit;

  /** Whether to see at an instant if it is at rest; false while something has to happen before. */
  volatile boolean awaitsRest;

  long restsAt; // that instant, guarded by the gate

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

  /** Drops the lane unless a caller uses it. */
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
  public Lane hold() {
    KeyLane<K> held = pin() ? this : keys.pin(key);
    return held == null ? this : held;
  }

  @Override
  public void close() {
    if (!isDropped()) {
      keys.unpin(this);
    }
  }

  /** Returns the limit that this key is to have. */
  Limit latest() {
    Limit mine = ownLimit;
    return mine == null ? keys.limit() : mine;
  }

  /** Puts the latest limit in force. Where something is open, the change itself does, soon. */
  @Override
  void refresh(long now) {
    Limit latest = latest();
    if (own != null && !own.has(latest) && open == 0) {
      var change = new LimitChange(now);
      change.prepare(own, latest);
      change.install();
    }
  }

  @Override
  boolean turnsAway() {
    return keys.isClosed();
  }

  @Override
  boolean isFull() {
    return size() + late >= keys.maxWaitingPerKey();
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
    return !awaitsRest;
  }
}
