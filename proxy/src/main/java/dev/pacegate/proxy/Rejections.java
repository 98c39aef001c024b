package dev.pacegate.proxy;

import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/** How many requests were not answered by the upstream alone, by status. Thread-safe. */
final class Rejections {

  private final Map<Integer, LongAdder> counts = new ConcurrentHashMap<>();

  void count(int status) {
    counts.computeIfAbsent(status, first -> new LongAdder()).increment();
  }

  Map<Integer, Long> byStatus() {
    var now = new TreeMap<Integer, Long>();
    counts.forEach((status, count) -> now.put(status, count.sum()));
    return now;
  }
}
