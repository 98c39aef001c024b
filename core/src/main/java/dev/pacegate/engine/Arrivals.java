package dev.pacegate.engine;

import org.jspecify.annotations.Nullable;

/**
 * All requests that wait, called or late or neither, in the order in which they came. Guarded by
 * the gate.
 */
/*
 * A second list through the waiters, beside those of their lanes, as each lane knows only its own oldest.
 * An error may keep a waiter from being added, which then is only missing here, or from being
 * removed, until the repair.
 */
final class Arrivals {

  private @Nullable Waiter oldest;
  private @Nullable Waiter newest;

  /** Returns how long the first that came has waited; 0 if none waits. */
  long oldestWait(long now) {
    return oldest == null ? 0 : now - oldest.arrivedAt;
  }

  void add(Waiter waiter) {
    Waiter before = newest;
    waiter.earlier = before;
    if (before == null) {
      oldest = waiter;
    } else {
      before.later = waiter;
    }
    newest = waiter;
  }

  void remove(Waiter waiter) {
    Waiter before = waiter.earlier;
    Waiter after = waiter.later;
    if (before == null && oldest != waiter) {
      return; // it is missing
    }
    if (before == null) {
      oldest = after;
    } else {
      before.later = after;
    }
    if (after == null) {
      newest = before;
    } else {
      after.earlier = before;
    }
    waiter.earlier = null;
    waiter.later = null;
  }

  /** Removes those that wait no more, which an error has left here. */
  void removeGone() {
    for (Waiter w = oldest; w != null; ) {
      Waiter next = w.later;
      if (w.state == Waiter.State.GONE) {
        remove(w);
      }
      w = next;
    }
  }
}
