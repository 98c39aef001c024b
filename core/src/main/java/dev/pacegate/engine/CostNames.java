package dev.pacegate.engine;

import dev.pacegate.limit.Cost;
import dev.pacegate.limit.Limit;
import dev.pacegate.limit.Promise;
import dev.pacegate.time.Time;
import java.util.HashSet;
import java.util.Set;

/**
 * Notices costs whose name no limit counts, which are most likely misspelt, and says so once.
 *
 * <p>They are no error: a limit may be changed to one that counts less while the program runs.
 */
final class CostNames {

  private static final int MOST_NAMES = 1000;

  private volatile Set<String> known = Set.of(); // replaced, as it hardly ever grows
  private final String limiter;

  CostNames(Limit limit, String limiter) {
    this.limiter = limiter;
    add(limit);
  }

  void add(Limit limit) {
    for (Promise promise : limit.promises()) {
      String name = promise.of().name();
      if (name != null) {
        isNew(name);
      }
    }
  }

  /**
   * Returns {@code cost}.
   *
   * @throws IllegalArgumentException if it is a sum of requests, or of none
   */
  Cost check(Cost cost) {
    if (cost.calls() != 1) {
      throw new IllegalArgumentException("a request is one call, not " + cost.calls());
    }
    for (String name : cost.names()) {
      if (known.size() < MOST_NAMES && isNew(name)) {
        new Reporter(limiter, null, Time.system()).uncounted(name);
      }
    }
    return cost;
  }

  /** Returns whether {@code name} was not known; from now on it is. */
  private boolean isNew(String name) {
    return !known.contains(name) && add(name);
  }

  private synchronized boolean add(String name) {
    var more = new HashSet<>(known);
    boolean added = more.add(name);
    known = more;
    return added;
  }
}
