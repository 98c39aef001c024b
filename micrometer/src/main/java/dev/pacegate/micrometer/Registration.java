package dev.pacegate.micrometer;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.FunctionTimer;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.TimeGauge;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
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
  private final List<Meter> added;

  Registration(MeterRegistry registry, Tags tags) {
    this(registry, tags, new ArrayList<>());
  }

  private Registration(MeterRegistry registry, Tags tags, List<Meter> added) {
    this.registry = registry;
    this.tags = tags;
    this.added = added;
  }

  /** Returns a registration that gives its meters one tag more. */
  Registration with(String key, String value) {
    return new Registration(registry, tags.and(key, value), added);
  }

  void counter(String name, String what, DoubleSupplier value) {
    Collection<Meter> before = named(name);
    add(
        before,
        FunctionCounter.builder(name, value, same -> value.getAsDouble())
            .description(what)
            .tags(tags)
            .register(registry));
  }

  void gauge(String name, String what, DoubleSupplier value) {
    Collection<Meter> before = named(name);
    add(
        before,
        Gauge.builder(name, value::getAsDouble).description(what).tags(tags).register(registry));
  }

  /** Adds a gauge of a duration, given in nanoseconds. */
  void duration(String name, String what, DoubleSupplier nanos) {
    Collection<Meter> before = named(name);
    add(
        before,
        TimeGauge.builder(name, nanos::getAsDouble, TimeUnit.NANOSECONDS)
            .description(what)
            .tags(tags)
            .register(registry));
  }

  /** Adds a count of durations and their sum, given in nanoseconds. */
  void timer(String name, String what, LongSupplier count, DoubleSupplier nanos) {
    Collection<Meter> before = named(name);
    add(
        before,
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

  private Collection<Meter> named(String name) {
    return registry.find(name).meters();
  }

  /** A registry answers a name and tags that it knows with the meter it has. */
  private void add(Collection<Meter> before, Meter meter) {
    if (before.stream().anyMatch(known -> known == meter)) {
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
