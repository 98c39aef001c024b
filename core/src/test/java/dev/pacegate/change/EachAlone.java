package dev.pacegate.change;

import dev.pacegate.limit.Cost;
import dev.pacegate.limit.Limit;
import dev.pacegate.limit.Outcome;
import dev.pacegate.limit.spi.Meter;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Each limit that is or was in force, as if it had been in force alone from the beginning: what all
 * of them allow must not be held up. Remembers everything.
 */
final class EachAlone {

  private final Map<Limit, Meter> meters = new LinkedHashMap<>();
  private final List<Consumer<Meter>> past = new ArrayList<>();
  private final Set<Meter> overfull = new HashSet<>();

  void add(Limit limit) {
    if (!meters.containsKey(limit)) {
      Meter meter = limit.newMeter(0);
      past.forEach(event -> event.accept(meter));
      meters.put(limit, meter);
    }
  }

  /** A meter that was told of more than it allows knows too few ends to be compared with. */
  boolean allow(long now, Cost cost) {
    return overfull.isEmpty() && areQuiet(now, cost);
  }

  private boolean areQuiet(long now, Cost cost) {
    return meters.values().stream().allMatch(meter -> meter.nanosUntil(now, now, cost) == 0);
  }

  /**
   * @param ends whether its end will be told; otherwise it may never be answered
   */
  void released(long now, Cost cost, boolean ends) {
    tell(
        meter -> {
          if (meter.tracks() && meter.nanosUntil(now, now, cost) > 0) {
            overfull.add(meter);
          }
          meter.release(now, now, cost);
        });
    if (!ends) {
      ended(now, now, cost, Outcome.LOST);
    }
  }

  void sent(long start, long now, Cost cost) {
    tell(meter -> meter.sent(start, now, cost));
  }

  /** What is known only by its start stays charged where ends count; what it lacks is lost. */
  void settled(long release, long sent, long now, Cost charged, Cost actual, boolean ends) {
    tell(
        meter -> {
          if (ends || !meter.tracks()) {
            meter.settle(release, sent, now, charged, actual);
          } else {
            meter.release(now, now, actual.beyond(charged));
            meter.end(now, now, actual.beyond(charged), Outcome.LOST);
          }
        });
  }

  void ended(long start, long now, Cost cost, Outcome outcome) {
    tell(
        meter -> {
          if (meter.tracks()) {
            meter.end(start, now, cost, outcome);
          }
        });
  }

  private void tell(Consumer<Meter> event) {
    past.add(event);
    meters.values().forEach(event);
  }
}
