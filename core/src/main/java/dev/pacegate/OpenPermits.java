package dev.pacegate;

import static dev.pacegate.Waiter.FOREVER;

import dev.pacegate.limit.Meter;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The permits that have not ended of all that are minded for the same time, the oldest first.
 * Guarded by the gate.
 *
 * <p>They are linked through themselves: adding and removing costs no memory and O(1).
 */
final class OpenPermits {

  /** Others in which something is open: after those of no key, which come first. */
  @Nullable OpenPermits nextInUse;

  private @Nullable OpenPermits previousInUse;

  private @Nullable OpenPermit oldest;
  private @Nullable OpenPermit newest;
  private @Nullable OpenPermit unwarned; // the oldest about which nobody has been warned
  private int size;
  private long warnAfter = Meter.NEVER;
  private long abandonAfter = Meter.NEVER;

  /** Has regard to how long permits may stay open in the eyes of {@code meter} alone. */
  void mind(Meter meter) {
    warnAfter = meter.warnAfter();
    abandonAfter = meter.abandonAfter();
  }

  /** Returns whether it is minded how long permits stay open. */
  boolean isMinded() {
    return warnAfter < Meter.NEVER || abandonAfter < Meter.NEVER;
  }

  /**
   * Returns when the next warning is due, or a permit is to be given up, in those eyes or these.
   */
  long nextInspection(OpenPermits other) {
    long warning = due(unwarned, Math.min(warnAfter, other.warnAfter));
    return Math.min(warning, due(oldest, Math.min(abandonAfter, other.abandonAfter)));
  }

  /** Returns the oldest permit that is to be warned about by {@code now}, if any. */
  @Nullable OpenPermit overdue(OpenPermits other, long now) {
    return due(unwarned, Math.min(warnAfter, other.warnAfter)) <= now ? unwarned : null;
  }

  /** Returns the oldest permit that is to be given up by {@code now}, if any. */
  @Nullable OpenPermit abandoned(OpenPermits other, long now) {
    return due(oldest, Math.min(abandonAfter, other.abandonAfter)) <= now ? oldest : null;
  }

  private static long due(@Nullable OpenPermit permit, long span) {
    return permit == null || span == Meter.NEVER ? FOREVER : Desk.later(permit.startedAt, span);
  }

  int size() {
    return size;
  }

  /** Puts {@code other} into use after this, unless it is already. */
  void use(OpenPermits other) {
    if (other.previousInUse == null && other != this) {
      other.nextInUse = nextInUse;
      other.previousInUse = this;
      if (nextInUse != null) {
        nextInUse.previousInUse = other;
      }
      nextInUse = other;
    }
  }

  /** Takes this out of use, if it is after any. */
  void rest() {
    if (previousInUse != null) {
      previousInUse.nextInUse = nextInUse;
      if (nextInUse != null) {
        nextInUse.previousInUse = previousInUse;
      }
      previousInUse = null;
      nextInUse = null;
    }
  }

  @Nullable OpenPermit oldest() {
    return oldest;
  }

  void warned(OpenPermit permit) {
    unwarned = permit.next;
  }

  void add(OpenPermit permit) {
    OpenPermit before = newest;
    permit.previous = before;
    newest = permit;
    if (before == null) {
      oldest = permit;
    } else {
      before.next = permit;
    }
    if (unwarned == null) {
      unwarned = permit;
    }
    size++;
  }

  void remove(OpenPermit permit) {
    OpenPermit before = permit.previous;
    OpenPermit after = permit.next;
    if (unwarned == permit) {
      unwarned = after;
    }
    if (before == null) {
      oldest = after;
    } else {
      before.next = after;
    }
    if (after == null) {
      newest = before;
    } else {
      after.previous = before;
    }
    permit.previous = null;
    permit.next = null;
    size--;
  }

  void forEach(Consumer<OpenPermit> action) {
    for (OpenPermit permit = oldest; permit != null; permit = permit.next) {
      action.accept(permit);
    }
  }
}
