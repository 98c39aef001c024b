package dev.pacegate;

import dev.pacegate.limit.Cost;
import dev.pacegate.limit.Limit;
import dev.pacegate.limit.Promise;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Notices costs whose name no limit counts, which are most likely misspelt, and says so once.
 *
 * <p>They are no error: a limit may be changed to one that counts less while the program runs.
 */
final class CostNames {

  private final Set<String> known = ConcurrentHashMap.newKeySet();
  private final Reporter reporter;

  CostNames(Limit limit, String limiter) {
    this.reporter = new Reporter(limiter, null);
    add(limit);
  }

  void add(Limit limit) {
    for (Promise promise : limit.promises()) {
      String name = promise.of().name();
      if (name != null) {
        known.add(name);
      }
    }
  }

  Cost check(Cost cost) {
    for (String name : cost.names()) {
      if (known.add(name)) {
        reporter.uncounted(name);
      }
    }
    return cost;
  }
}
