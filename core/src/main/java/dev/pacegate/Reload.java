package dev.pacegate;

import java.util.List;

/**
 * What a file of limits has changed.
 *
 * <p>Each is sorted by name; a limiter is in at most one of them.
 *
 * @param changed the limiters whose limit the file says otherwise than before
 * @param added the limiters that are new
 * @param missing the limiters that the file does not name, or no longer: they keep their limit
 */
public record Reload(List<String> changed, List<String> added, List<String> missing) {

  /** Copies the names. */
  public Reload {
    changed = List.copyOf(changed);
    added = List.copyOf(added);
    missing = List.copyOf(missing);
  }

  /** Returns whether no limiter has been changed or added. */
  public boolean isEmpty() {
    return changed.isEmpty() && added.isEmpty();
  }
}
