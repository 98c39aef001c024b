package dev.pacegate;

import dev.pacegate.limit.Cost;
import org.jspecify.annotations.Nullable;

/**
 * Those who wait, in the order in which they came. Guarded by the gate.
 *
 * <p>Some at the front may have been <em>called</em>: told to come and take their permits, which
 * are not charged until they do. The first who has not been called is the <em>watch</em>: the only
 * one for whom it is known when its turn comes.
 */
/*
 * What needs stack or memory comes before the first change of a field: an error leaves the line as
 * it was.
 */
final class Line {

  private @Nullable Waiter first;
  private @Nullable Waiter last;
  private @Nullable Waiter watch;
  private int size;
  private Cost called = Cost.none();
  private Cost all = Cost.none();

  boolean isEmpty() {
    return first == null;
  }

  int size() {
    return size;
  }

  @Nullable Waiter first() {
    return first;
  }

  @Nullable Waiter watch() {
    return watch;
  }

  /** Returns the sum of what those ask for who have been called. */
  Cost called() {
    return called;
  }

  /** Returns the sum of what everybody in line asks for. */
  Cost all() {
    return all;
  }

  void add(Waiter waiter, long now) {
    all = all.plus(waiter.cost);
    waiter.state = Waiter.State.WAITING;
    waiter.looksAt = Waiter.FOREVER;
    waiter.previous = last;
    if (last == null) {
      first = waiter;
    } else {
      last.next = waiter;
    }
    last = waiter;
    size++;
    if (watch == null) {
      watch = waiter;
      waiter.since = now;
    }
  }

  /** Marks the watch as called and moves the watch on. */
  void call(Waiter waiter, long now) {
    called = called.plus(waiter.cost);
    waiter.state = Waiter.State.CALLED;
    waiter.looksAt = Waiter.FOREVER;
    watch = waiter.next;
    if (watch != null) {
      watch.since = now;
    }
  }

  /** Makes everybody wait again who has been called. */
  void uncall() {
    called = Cost.none();
    for (Waiter w = first; w != null && w != watch; w = w.next) {
      w.state = Waiter.State.WAITING;
    }
    if (watch != null) {
      watch.looksAt = Waiter.FOREVER;
    }
    watch = first;
  }

  void remove(Waiter waiter, long now) {
    Waiter before = waiter.previous;
    Waiter after = waiter.next;
    boolean wasCalled = waiter.state == Waiter.State.CALLED;
    Cost stillCalled = wasCalled ? without(called, waiter, first, watch) : called;
    Cost left = without(all, waiter, first, null);
    called = stillCalled;
    all = left;
    waiter.state = Waiter.State.DONE;
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
    waiter.previous = null;
    waiter.next = null;
    size--;
    if (watch == waiter) {
      watch = after;
      if (after != null) {
        after.since = now;
      }
    }
  }

  /**
   * Subtracts; where the sum has saturated, adds up anew those from {@code from} up to {@code to}.
   */
  private static Cost without(
      Cost sum, Waiter leaving, @Nullable Waiter from, @Nullable Waiter to) {
    if (!sum.isSaturated()) {
      return sum.minus(leaving.cost);
    }
    Cost anew = Cost.none();
    for (Waiter w = from; w != to && w != null; w = w.next) {
      if (w != leaving) {
        anew = anew.plus(w.cost);
      }
    }
    return anew;
  }
}
