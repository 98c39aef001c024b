package dev.pacegate.micrometer;

import dev.pacegate.Snapshot;

/** How much of a limit was used. */
final class LimitShare {

  private LimitShare() {}

  /** Returns the largest share of any promise that was counted at once so far: 1 is all of it. */
  static double most(Snapshot snapshot) {
    double largest = 0;
    for (Snapshot.Most most : snapshot.most()) {
      largest = Math.max(largest, (double) most.count() / most.promise().atOnce());
    }
    return largest;
  }
}
