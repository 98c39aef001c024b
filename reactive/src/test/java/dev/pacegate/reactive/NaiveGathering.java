package dev.pacegate.reactive;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * What is to be expected of operators that gather, as naive as can be: everything is looked at
 * again at every millisecond and after everything that happens. Elements are their own weights.
 */
final class NaiveGathering {

  static final long LONG_AGO = -1_000_000;

  private final int gap;
  private final int linger;
  private final int maxCount;
  private final int maxWeight;
  private final boolean eager;

  final List<List<Integer>> passed = new ArrayList<>();
  final List<Long> instants = new ArrayList<>();
  boolean completed;

  private final Deque<Integer> held = new ArrayDeque<>();
  private long now;
  private long demand;
  private boolean last;
  private long released;
  private long lingersUntil;
  private boolean begun;

  NaiveGathering(int gap, int linger, int maxCount, int maxWeight, boolean eager) {
    this.gap = gap;
    this.linger = linger;
    this.maxCount = maxCount;
    this.maxWeight = maxWeight;
    this.eager = eager;
    this.released = eager ? LONG_AGO : 0;
  }

  void at(long millis) {
    now = millis;
    look();
  }

  void send(int element) {
    held.add(element);
    look();
  }

  void request(long n) {
    demand += n;
    look();
  }

  void complete() {
    last = true;
    look();
  }

  private void look() {
    begin();
    while (!held.isEmpty() && demand > 0 && now >= released + gap && isReady()) {
      List<Integer> next = next();
      next.forEach(element -> held.remove());
      passed.add(next);
      instants.add(now);
      released = now;
      demand--;
      begun = false;
      begin();
    }
    completed = last && held.isEmpty();
  }

  private void begin() {
    if (!held.isEmpty() && !begun) {
      begun = true;
      lingersUntil = now + linger;
      if (!eager && now >= released + gap) {
        released = now;
      }
    }
  }

  private boolean isReady() {
    List<Integer> next = next();
    return last
        || now >= lingersUntil
        || next.size() == maxCount
        || next.size() < held.size()
        || weight(next) >= maxWeight;
  }

  private List<Integer> next() {
    var next = new ArrayList<Integer>();
    for (Integer element : held) {
      boolean fits = next.size() < maxCount && weight(next) + element <= maxWeight;
      if (!fits && !next.isEmpty()) {
        return next;
      }
      next.add(element);
    }
    return next;
  }

  private static int weight(List<Integer> elements) {
    return elements.stream().mapToInt(Integer::intValue).sum();
  }
}
