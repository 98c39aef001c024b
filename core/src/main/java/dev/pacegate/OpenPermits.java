package dev.pacegate;

import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The permits that have not ended, the oldest first. Guarded by the gate.
 *
 * <p>They are linked through themselves: adding and removing costs no memory and O(1).
 */
final class OpenPermits {

  private @Nullable OpenPermit oldest;
  private @Nullable OpenPermit newest;
  private @Nullable OpenPermit unwarned; // the oldest about which nobody has been warned
  private int size;

  int size() {
    return size;
  }

  @Nullable OpenPermit oldest() {
    return oldest;
  }

  /** Returns the oldest permit that {@link #warned} has not passed yet. */
  @Nullable OpenPermit unwarned() {
    return unwarned;
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
