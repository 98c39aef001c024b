package dev.pacegate.engine.cost;

import dev.pacegate.engine.report.Once;
import dev.pacegate.engine.report.Reporter;
import dev.pacegate.limit.Cost;
import dev.pacegate.limit.Limit;
import dev.pacegate.limit.Promise;
import dev.pacegate.time.Time;
import java.lang.System.Logger.Level;

/**
 * Reports, once for each, names of costs that no limit counts, as they are most likely misspelt.
 *
 * <p>They are no error: the limit may have changed to one that counts fewer names.
 */
public final class CostNames {

  private final String limiter;
  private final Once names = new Once();

  public CostNames(Limit limit, String limiter) {
    this.limiter = limiter;
    add(limit);
  }

  public void add(Limit limit) {
    for (Promise promise : limit.promises()) {
      String name = promise.of().name();
      if (name != null) {
        names.know(name);
      }
    }
  }

  /**
   * Reports unknown names.
   *
   * @throws IllegalArgumentException if the cost is not exactly one call
   */
  public void check(Cost cost) {
    if (cost.calls() != 1) {
      throw new IllegalArgumentException("a request must be one call, not " + cost.calls());
    }
    for (String name : cost.names()) {
      if (names.isFirst(name)) {
        new Reporter(limiter, null, Time.system())
            .log(Level.WARNING, "its limit counts no cost named \"" + name + "\"");
      }
    }
  }
}
