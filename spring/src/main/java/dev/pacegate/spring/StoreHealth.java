package dev.pacegate.spring;

import java.util.Map;
import java.util.TreeMap;

/**
 * The health of the store that processes share, for each limiter.
 *
 * @param fails whether the store of any limiter fails
 * @param reasons of each limiter that gets no permits from its store: why
 */
record StoreHealth(boolean fails, Map<String, String> reasons) {

  /** A fence and a pause of all processes are reasons too, but no failures. */
  static StoreHealth of(KnownLimiters limiters) {
    var reasons = new TreeMap<String, String>();
    boolean fails = false;
    for (Map.Entry<String, KnownLimiter> known : limiters.all().entrySet()) {
      var now = known.getValue().all().snapshot();
      now.unavailable().ifPresent(why -> reasons.put(known.getKey(), why));
      fails |= now.sourceFails();
    }
    return new StoreHealth(fails, reasons);
  }
}
