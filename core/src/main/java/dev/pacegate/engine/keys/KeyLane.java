package dev.pacegate.engine.keys;

import static java.util.Objects.requireNonNull;

import dev.pacegate.engine.Lane;
import dev.pacegate.engine.LimitChange;
import dev.pacegate.engine.OpenPermitList;
import dev.pacegate.engine.Pool;
import dev.pacegate.engine.report.RequestCounts;
import dev.pacegate.engine.visit.Visit;
import dev.pacegate.limit.Limit;
import dev.pacegate.limit.Unlimited;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The lane of one key, with a pool of its own. A caller pins it while using it, so that it is not
 * dropped. Once dropped, it is never used again.
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

  public final K key;
  private final KeyLanes<K> keys;
  private volatile int pins; // how many callers use it; DROPPED after the drop

  /** The limit of this key alone, if it has one. */
  volatile @Nullable Limit ownLimit;

  /** Whether an alarm checks if it is at rest; false while something else must happen before. */
  public volatile boolean awaitsRest;

  public long restsAt; // the instant of that check, guarded by the gate
  private @Nullable RequestCounts counts; // once there is more to count than what was granted

  private boolean left; // whether the groups have been let go; guarded by itself

  KeyLane(KeyLanes<K> keys, K key, Lane sibling, Pool own, Lane[] around) {
    super(sibling, own, around);
    this.keys = keys;
    this.key = key;
  }

  // ---- groups

  private KeyLane<?> group(int i) {
    return (KeyLane<?>) around[i];
  }

  /** Lets go of the groups, which were pinned for this lane. Has an effect once. */
  void leaveGroups() {
    if (around.length > 0 && leavesFirst()) {
      KeyGroups.unpin(around);
    }
  }

  private synchronized boolean leavesFirst() {
    boolean first = !left;
    left = true;
    return first;
  }

  // ---- pins

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

  public boolean isDropped() {
    return pins == DROPPED;
  }

  public boolean isOf(KeyLanes<?> owner) {
    return keys == owner;
  }

  /**
   * Returns the key's present lane, with the groups of this one: a key may come back in others. If
   * there are too many keys by now, a charge to a dropped lane is lost.
   */
  @Override
  public Lane hold() {
    KeyLane<K> present = present();
    if (Arrays.equals(around, present.around)) {
      return present;
    }
    return CorrectionLane.of(present, around);
  }

  /** Returns the key's present lane, pinned; this one if there are too many keys by now. */
  KeyLane<K> present() {
    KeyLane<K> held = pin() ? this : keys.pin(key);
    return held == null ? this : held;
  }

  @Override
  public void close() {
    if (!isDropped()) {
      keys.unpin(this);
    }
  }

  /** Returns the limits of this key and its groups, as one. */
  @Override
  public Limit ownLimit() {
    Limit limit = latest();
    for (int i = 0; i < around.length; i++) {
      limit = limit.and(group(i).latest());
    }
    return limit;
  }

  @Override
  public boolean countsPlainCosts() {
    return keys.countPlainCosts();
  }

  /** Returns the limit that this key should have. */
  Limit latest() {
    Limit mine = ownLimit;
    return mine == null ? keys.limit() : mine;
  }

  /** Leaves a key with open permits to the change itself, which knows them. */
  @Override
  public void refresh(long now) {
    for (int i = 0; i < around.length; i++) {
      group(i).refreshOne(now);
    }
    refreshOne(now);
  }

  @Override
  protected boolean follows(Visit visit) {
    try {
      refresh(visit.now);
      return true;
    } catch (VirtualMachineError e) {
      throw e; // of the caller's stack or memory, not of the meter
    } catch (Throwable failure) {
      keys.rest.failed(failure, visit);
      return false;
    }
  }

  private void refreshOne(long now) {
    Limit latest = latest();
    if (own != null && !own.has(latest) && open == 0 && !keys.isClosed()) {
      var change = new LimitChange(now);
      change.prepare(own, latest);
      change.install();
    }
  }

  @Override
  public boolean turnsAway() {
    boolean closed = keys.isClosed();
    for (int i = 0; i < around.length && !closed; i++) {
      closed = group(i).keys.isClosed();
    }
    return closed;
  }

  @Override
  public boolean isFull() {
    return size() + late >= keys.maxWaitingPerKey();
  }

  @Override
  public String mostWaiters(int ofAll) {
    return super.mostWaiters(ofAll) + ", maxWaitingPerKey " + keys.maxWaitingPerKey();
  }

  @Override
  public String limits(Limit ofAll) {
    var text = new StringBuilder().append(latest()).append(" for the key");
    for (int i = 0; i < around.length; i++) {
      text.append(" and ").append(group(i).latest()).append(" around it");
    }
    return ofAll instanceof Unlimited ? text.toString() : text + " and " + ofAll + " for all";
  }

  @Override
  public OpenPermitList openOfKeys() {
    return keys.open();
  }

  @Override
  public RequestCounts counts() {
    if (counts == null) {
      counts = new RequestCounts();
    }
    return counts;
  }

  @Override
  public RequestCounts countsSoFar() {
    return counts == null ? new RequestCounts() : counts;
  }

  @Override
  public void mayRest(Visit visit) {
    keys.rest.watch(this, visit);
    for (int i = 0; i < around.length && keys.isClosed(); i++) {
      group(i).mayRest(visit); // nothing else tells it, as this lane has let go of it
    }
  }

  @Override
  public boolean mustBeToldOfEnds() {
    return !awaitsRest || keys.isClosed(); // it tells its groups then, as no check will
  }

  /**
   * What a permit of a dropped key is corrected in: the key as it is known now, and the groups that
   * the key was in when the permit was charged. No request waits here.
   */
  private static final class CorrectionLane extends Lane {

    private final KeyLane<?> key;

    CorrectionLane(KeyLane<?> key, Lane[] groups) {
      super(key.keys.sibling, requireNonNull(key.own), groups);
      this.key = key;
    }

    /**
     * Returns the lane of {@code key}, which is pinned, with these groups as they are known now,
     * all pinned.
     */
    static CorrectionLane of(KeyLane<?> key, Lane[] groups) {
      Lane[] present = groups.clone();
      int pinned = 0;
      try {
        for (; pinned < present.length; pinned++) {
          present[pinned] = ((KeyLane<?>) groups[pinned]).present();
        }
      } finally {
        if (pinned < present.length) { // the program's function has failed
          key.close();
          for (int i = 0; i < pinned; i++) {
            present[i].close();
          }
        }
      }
      return new CorrectionLane(key, present);
    }

    @Override
    public void refresh(long now) {
      key.refresh(now);
      for (Lane group : around) {
        group.refresh(now);
      }
    }

    @Override
    public RequestCounts counts() {
      return key.counts();
    }

    @Override
    public void close() {
      key.close();
      KeyGroups.unpin(around);
    }
  }
}
