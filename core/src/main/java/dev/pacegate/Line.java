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
    waiter.state = Waiter.State.WAITING;
    waiter.previous = last;
    if (last == null) {
      first = waiter;
    } else {
      last.next = waiter;
    }
    last = waiter;
    size++;
    all = all.plus(waiter.cost);
    if (watch == null) {
      watch(waiter, now);
    }
  }

  /** Marks the watch as called and moves the watch on. */
  void call(Waiter waiter, long now) {
    called = called.plus(waiter.cost);
    waiter.state = Waiter.State.CALLED;
    watch(waiter.next, now);
  }

  /** Makes everybody wait again who has been called. */
  void uncall() {
    called = Cost.none();
    for (Waiter w = first; w != null && w != watch; w = w.next) {
      w.state = Waiter.State.WAITING;
      w.looksAt = Waiter.FOREVER;
    }
    if (watch != null) {
      watch.looksAt = Waiter.FOREVER;
    }
    watch = first;
  }

  void remove(Waiter waiter, long now) {
    Waiter before = waiter.previous;
    Waiter after = waiter.next;
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
    boolean wasCalled = waiter.state == Waiter.State.CALLED;
    waiter.state = Waiter.State.DONE;
    if (watch == waiter) {
      watch(after, now);
    }
    all = without(all, waiter.cost, first, null);
    if (wasCalled) {
      called = without(called, waiter.cost, first, watch);
    }
  }

  private void watch(@Nullable Waiter waiter, long now) {
    watch = waiter;
    if (waiter != null) {
      waiter.since = now;
      waiter.looksAt = Waiter.FOREVER;
    }
  }

  /**
   * Subtracts; where the sum has saturated, adds up anew those from {@code from} up to {@code to}.
   */
  private static Cost without(Cost sum, Cost cost, @Nullable Waiter from, @Nullable Waiter to) {
    if (!sum.isSaturated()) {
      return sum.minus(cost);
    }
    Cost anew = Cost.none();
    for (Waiter w = from; w != to && w != null; w = w.next) {
      anew = anew.plus(w.cost);
    }
    return anew;
  }
}
