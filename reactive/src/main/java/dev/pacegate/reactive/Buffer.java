package dev.pacegate.reactive;

import org.jspecify.annotations.Nullable;

/**
 * What has come in and is to go out as one. Upstream's thread adds, everything else is done in
 * turns.
 *
 * @param <T> the elements that come
 * @param <R> what goes
 */
interface Buffer<T, R> {

  /** Adds an element. By upstream's thread; may run code of the user's, and fail with it. */
  void add(T element);

  /**
   * Returns how many more elements are to be asked for, beyond all that have been.
   *
   * @param permitted whether there is a permit for what is to go
   */
  long wants(boolean permitted);

  /** Returns whether there is nothing in it. */
  boolean isEmpty();

  /**
   * Returns whether it is time to stand in line. Asked after every change.
   *
   * @param last whether nothing more comes
   */
  boolean isReady(boolean last);

  /** Takes out what is to go; null if there is nothing, or it is with the thread that adds. */
  @Nullable R take();

  /** The end: forgets what is in it, and stops what waits. May be repeated. */
  void discard();
}
