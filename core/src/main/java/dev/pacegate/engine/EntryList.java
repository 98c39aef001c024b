package dev.pacegate.engine;

import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Entries, the oldest first, linked through themselves: adding and removing allocate nothing.
 * Guarded by the gate.
 */
final class EntryList<E extends EntryList.Link> {

  /** What is in at most one list at a time. */
  abstract static class Link {
    @Nullable Link previous;
    @Nullable Link next;
  }

  private @Nullable E oldest;
  private @Nullable E newest;
  private int size;

  int size() {
    return size;
  }

  @Nullable E oldest() {
    return oldest;
  }

  void add(E entry) {
    E before = newest;
    entry.previous = before;
    newest = entry;
    if (before == null) {
      oldest = entry;
    } else {
      before.next = entry;
    }
    size++;
  }

  void remove(E entry) {
    E before = before(entry);
    E after = after(entry);
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
    entry.previous = null;
    entry.next = null;
    size--;
  }

  /** Returns the one that is next in age. All links are of the same kind. */
  @SuppressWarnings("unchecked")
  @Nullable E after(E entry) {
    return (E) entry.next;
  }

  @SuppressWarnings("unchecked")
  private @Nullable E before(E entry) {
    return (E) entry.previous;
  }

  void forEach(Consumer<? super E> action) {
    for (E entry = oldest; entry != null; entry = after(entry)) {
      action.accept(entry);
    }
  }
}
