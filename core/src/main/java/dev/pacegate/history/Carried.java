package dev.pacegate.history;

import java.util.HashMap;
import java.util.Map;

/**
 * Open requests that an earlier limit let through, by the instants at which they are known.
 *
 * <p>Requests of one instant cannot be told apart. So all that are known by the instant of one of
 * these are counted with it: the end of another is not taken for its own.
 */
final class Carried {

  private final Map<Long, Integer> open = new HashMap<>();
  private long latest;
  private int others; // open requests of the latest instant, if none of these is of that instant

  boolean isEmpty() {
    return open.isEmpty();
  }

  boolean has(long instant) {
    return open.containsKey(instant);
  }

  void add(long instant) {
    open.merge(instant, 1, Integer::sum);
  }

  /** A request was released that the limit in force let through. */
  void opened(long now) {
    if (open.computeIfPresent(now, (instant, count) -> count + 1) == null) {
      others = othersOf(now) + 1;
      latest = now;
    }
  }

  /** A request has ended; returns whether it may be one of these. */
  boolean ended(long instant) {
    Integer count = open.remove(instant);
    if (count == null) {
      others -= othersOf(instant) > 0 ? 1 : 0;
      return false;
    }
    if (count > 1) {
      open.put(instant, count - 1);
    }
    return true;
  }

  /** One of these is known by {@code now} from now on. */
  void sent(long now) {
    open.merge(now, 1 + othersOf(now), Integer::sum);
    others -= othersOf(now);
  }

  private int othersOf(long instant) {
    return instant == latest ? others : 0;
  }
}
