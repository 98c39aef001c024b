package dev.pacegate.benchmarks.proxies;

import dev.pacegate.benchmarks.Text;
import java.util.List;

/** Readings of the same thing, one of each round. */
record Spread(List<Double> readings) {

  Spread {
    readings = readings.stream().sorted().toList();
  }

  double median() {
    int middle = readings.size() / 2;
    return readings.size() % 2 == 1
        ? readings.get(middle)
        : (readings.get(middle - 1) + readings.get(middle)) / 2;
  }

  /** Returns milliseconds of microseconds. */
  Spread inThousands() {
    return new Spread(readings.stream().map(reading -> reading / 1e3).toList());
  }

  /** Returns the median, and in brackets the lowest and the highest. */
  String told(String pattern) {
    return Text.format(
        pattern + " (" + pattern + " to " + pattern + ")",
        median(),
        readings.get(0),
        readings.get(readings.size() - 1));
  }
}
