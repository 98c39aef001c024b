package dev.pacegate.engine;

import dev.pacegate.limit.Cost;
import dev.pacegate.limit.Limit;
import dev.pacegate.limit.Promise;
import dev.pacegate.time.Time;
import java.util.HashSet;
import java.util.Set;

/**
 * Reports, once for each, names of costs that no limit counts, as they are most likely misspelt.
 *
 * <p>They are no error: the limit may have changed to one that counts fewer names.
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
   * Reports unknown names.
   *
   * @throws IllegalArgumentException if the cost is not exactly one call
   */
  void check(Cost cost) {
    if (cost.calls() != 1) {
      throw new IllegalArgumentException("a request must be one call, not " + cost.calls());
    }
    for (String name : cost.names()) {
      if (known.size() < MOST_NAMES && isNew(name)) {
        new Reporter(limiter, null, Time.system()).uncountedName(name);
      }
    }
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
