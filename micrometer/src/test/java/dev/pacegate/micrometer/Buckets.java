package dev.pacegate.micrometer;

import java.util.Map;
import java.util.SortedMap;

/** The buckets of a histogram of Prometheus. */
final class Buckets {

  private Buckets() {}

  /** Returns the upper bound of a bucket, in seconds. */
  static double bound(String le) {
    return le.equals("+Inf") ? Double.POSITIVE_INFINITY : Double.parseDouble(le);
  }

  /** As histogram_quantile does, which takes the values in a bucket to be evenly spread. */
  static double quantile(double quantile, SortedMap<Double, Double> counts) {
    double all = counts.getOrDefault(counts.lastKey(), 0.0);
    if (all == 0) {
      return Double.NaN;
    }
    double rank = quantile * all;
    double from = 0;
    double below = 0;
    for (Map.Entry<Double, Double> bucket : counts.entrySet()) {
      double bound = bucket.getKey();
      double count = bucket.getValue();
      if (count >= rank) {
        if (bound == Double.POSITIVE_INFINITY) {
          return from;
        }
        return bound <= 0 ? bound : from + (bound - from) * (rank - below) / (count - below);
      }
      from = bound;
      below = count;
    }
    return Double.NaN;
  }
}
