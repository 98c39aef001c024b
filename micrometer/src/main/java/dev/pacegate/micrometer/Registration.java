package dev.pacegate.micrometer;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.FunctionTimer;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.TimeGauge;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.DoubleSupplier;
import java.util.function.LongSupplier;

/**
 * Adds meters to one registry: all of them or, if one exists already, none.
 *
 * <p>A meter refers weakly to the object it is made with. Here its function captures that object,
 * so the meter has a value for as long as the registry has the meter.
 */
final class Registration {

  private final MeterRegistry registry;
  private final Tags tags;
  private final Set<Meter> known;
  private final List<Meter> added;

  Registration(MeterRegistry registry, Tags tags) {
    this(registry, tags, meters(registry), new ArrayList<>());
  }

  private Registration(MeterRegistry registry, Tags tags, Set<Meter> known, List<Meter> added) {
    this.registry = registry;
    this.tags = tags;
    this.known = known;
    this.added = added;
  }

  /** By identity: a filter may give meters other names and tags than they were asked for with. */
  private static Set<Meter> meters(MeterRegistry registry) {
    Set<Meter> all = Collections.newSetFromMap(new IdentityHashMap<>());
    all.addAll(registry.getMeters());
    return all;
  }

  /** Returns a registration that gives its meters one tag more. */
  Registration with(String key, String value) {
    return new Registration(registry, tags.and(key, value), known, added);
  }

  void counter(String name, String what, DoubleSupplier value) {
    add(
        FunctionCounter.builder(name, value, same -> value.getAsDouble())
            .description(what)
            .tags(tags)
            .register(registry));
  }

  void gauge(String name, String what, DoubleSupplier value) {
    add(Gauge.builder(name, value::getAsDouble).description(what).tags(tags).register(registry));
  }

  /** Adds a gauge of a duration, given in nanoseconds. */
  void duration(String name, String what, DoubleSupplier nanos) {
    add(
        TimeGauge.builder(name, nanos::getAsDouble, TimeUnit.NANOSECONDS)
            .description(what)
            .tags(tags)
            .register(registry));
  }

  /** Adds a count of durations and their sum, given in nanoseconds. */
  void timer(String name, String what, LongSupplier count, DoubleSupplier nanos) {
    add(
        FunctionTimer.builder(
                name,
                count,
                same -> count.getAsLong(),
                same -> nanos.getAsDouble(),
                TimeUnit.NANOSECONDS)
            .description(what)
            .tags(tags)
            .register(registry));
  }

  /** A registry answers a name and tags that it knows with the meter it has. */
  private void add(Meter meter) {
    if (!known.add(meter)) {
      remove();
      throw new IllegalStateException(
          meter.getId()
              + " is in this registry already: give each limiter a name of its own, or tags, and bind"
              + " it once");
    }
    added.add(meter);
  }

  /** Removes what was added. */
  void remove() {
    added.forEach(registry::remove);
    added.clear();
  }
}
