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
        add(name);
      }
    }
  }

  /**
   * Returns {@code cost}, and reports unknown names.
   *
   * @throws IllegalArgumentException if it is not exactly one call
   */
  Cost check(Cost cost) {
    if (cost.calls() != 1) {
      throw new IllegalArgumentException("a request must be one call, not " + cost.calls());
    }
    for (String name : cost.names()) {
      if (known.size() < MOST_NAMES && add(name)) {
        new Reporter(limiter, null, Time.system()).uncounted(name);
      }
    }
    return cost;
  }

  /** Adds {@code name} to the known names; returns whether it was new. */
  private boolean add(String name) {
    return !known.contains(name) && addAnew(name);
  }

  private synchronized boolean addAnew(String name) {
    var more = new HashSet<>(known);
    boolean added = more.add(name);
    known = more;
    return added;
  }
}
