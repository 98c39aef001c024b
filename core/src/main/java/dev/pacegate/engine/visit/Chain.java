package dev.pacegate.engine.visit;

import org.jspecify.annotations.Nullable;

/**
 * A doubly linked list whose members hold the links; each member is in at most one such list.
 * Guarded by the gate.
 *
 * <p>Adding and removing take O(1), allocate nothing, and call no method once anything has changed:
 * an error leaves the list as it was.
 */
public final class Chain<L extends Chain.Link<L>> {

  /** A member. Only the list changes it. */
  public abstract static class Link<L extends Link<L>> {
    public @Nullable L previous;
    public @Nullable L next;
  }

  private @Nullable L first;
  private @Nullable L last;
  private int size;

  public @Nullable L first() {
    return first;
  }

  public int size() {
    return size;
  }

  public boolean contains(L link) {
    return link.previous != null || link == first;
  }

  public void add(L link) {
    addBefore(null, link);
  }

  /** Adds {@code link} before its {@code next}; at the end if that is null. */
  public void addBefore(@Nullable L next, L link) {
    assert link.previous == null && link.next == null && link != first : "it is in a list";
    L before = next == null ? last : next.previous;
    link.previous = before;
    link.next = next;
    if (before == null) {
      first = link;
    } else {
      before.next = link;
    }
    if (next == null) {
      last = link;
    } else {
      next.previous = link;
    }
    size++;
  }

  /** Moves a member to the front. */
  public void moveToFront(L link) {
    L before = link.previous;
    L after = link.next;
    L head = first;
    if (before == null || head == null) {
      return;
    }
    before.next = after;
    if (after == null) {
      last = before;
    } else {
      after.previous = before;
    }
    link.previous = null;
    link.next = head;
    head.previous = link;
    first = link;
  }

  /** Moves a member to the end. */
  public void moveToEnd(L link) {
    L before = link.previous;
    L after = link.next;
    L tail = last;
    if (after == null || tail == null) {
      return;
    }
    after.previous = before;
    if (before == null) {
      first = after;
    } else {
      before.next = after;
    }
    link.previous = tail;
    link.next = null;
    tail.next = link;
    last = link;
  }

  /** Removes {@code link}, which must be in this list. */
  public void remove(L link) {
    L before = link.previous;
    L after = link.next;
    assert before == null ? link == first : before.next == link : "no link leads to it";
    assert after == null ? link == last : after.previous == link : "no link leads back to it";
    if (before == null) {
      first = after;
    } else {
      before.next = after;
    }
    if (after == null) {
      last = before;
    } else {
      after.previous = before;
    }
    link.previous = null;
    link.next = null;
    size--;
  }
}
