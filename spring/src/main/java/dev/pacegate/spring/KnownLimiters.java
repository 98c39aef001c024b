package dev.pacegate.spring;

import dev.pacegate.KeyedLimiter;
import java.util.Map;
import java.util.TreeMap;
import org.springframework.beans.factory.ListableBeanFactory;

/**
 * What the endpoint and the health show, by name: the limiters of the properties, and the beans
 * that are a {@link KeyedLimiter}. A property goes before a bean of the same name.
 */
final class KnownLimiters {

  private final PacegateLimits limits;
  private final ListableBeanFactory beans;

  KnownLimiters(PacegateLimits limits, ListableBeanFactory beans) {
    this.limits = limits;
    this.beans = beans;
  }

  /** Returns all there are now; a program may add some while it runs. */
  Map<String, KnownLimiter> all() {
    var all = new TreeMap<String, KnownLimiter>();
    beans
        .getBeansOfType(KeyedLimiter.class, false, false)
        .forEach((name, keyed) -> all.put(name, KnownLimiter.of(keyed)));
    limits.names().forEach(name -> all.put(name, KnownLimiter.of(limits.get(name))));
    return all;
  }
}
