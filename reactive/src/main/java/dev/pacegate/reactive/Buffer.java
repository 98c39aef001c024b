package dev.pacegate.reactive;

import dev.pacegate.limit.Cost;
import org.jspecify.annotations.Nullable;

/**
 * Elements that have come in and go out as one. Upstream's thread adds; all else is done in turns.
 *
 * @param <T> the type of elements that come in
 * @param <R> the type of what goes out
 */
interface Buffer<T, R> {

  /** Adds an element. On upstream's thread; may run the user's code, and fail with it. */
  void add(T element);

  /**
   * Returns how many more elements to request, beyond all requested before.
   *
   * @param permitted whether there is a permit for what is to go
   */
  long wants(boolean permitted);

  /** Returns whether there is nothing in it. */
  boolean isEmpty();

  /**
   * Returns whether it is time to join the queue. Asked after every change.
   *
   * @param last whether no more elements come
   */
  boolean isReady(boolean last);

  /**
   * Returns the cost of what is to go. Asked when that is ready, just before the permit is asked
   * for; may run the user's code, and fail with it.
   */
  default Cost cost() {
    return Cost.ONE;
  }

  /** Takes out what is to go; null if it is empty, or the adding thread has it. */
  @Nullable R take();

  /** The end: drops what is in it, and stops waiting. May be repeated. */
  void discard();
}
