package dev.pacegate;

import java.util.List;

/**
 * The changes that reading a file of limits made: an immutable value. Each list is sorted by name;
 * a limiter is in at most one of them.
 *
 * <p>Only {@link Limiters} creates these; a later version may add methods.
 */
public interface Reload {

  /** Returns the limiters whose limit in the file has changed. */
  List<String> changed();

  /** Returns the limiters that are new. */
  List<String> added();

  /** Returns the limiters that the file does not name, or no longer: they keep their limit. */
  List<String> missing();

  /** Returns whether no limiter has been changed or added. */
  default boolean isEmpty() {
    return changed().isEmpty() && added().isEmpty();
  }
}
