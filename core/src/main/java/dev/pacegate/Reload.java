package dev.pacegate;

import java.util.List;

/**
 * What a file of limits has changed: an immutable value. Each list is sorted by name; a limiter is
 * in at most one of them.
 *
 * <p>Only {@link Limiters} make them; a later version may tell more.
 */
public interface Reload {

  /** Returns the limiters whose limit the file says otherwise than before. */
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
