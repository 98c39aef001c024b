package dev.pacegate.engine;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** How many requests of a key wait, and how long the first that came has; 0 if none waits. */
record QueuedRequests(int count, Duration oldest) {

  /** Counts those that wait for a key, and for the keys in that group. */
  static QueuedRequests ofKey(@Nullable Lane key, WaitQueue queue, long now) {
    if (key == null) {
      return new QueuedRequests(0, Duration.ZERO);
    }
    return count(key, queue, now);
  }

  private static QueuedRequests count(Lane key, WaitQueue queue, long now) {
    int count = 0;
    long oldest = 0;
    boolean hasOneLane = !key.isGroup();
    Lane lane = hasOneLane ? key : queue.firstLane();
    while (lane != null) {
      if (lane.isIn(key)) {
        count += lane.size();
        oldest = Math.max(oldest, lane.oldestWait(now));
      }
      lane = hasOneLane ? null : lane.next;
    }
    for (FutureWaiter late : queue.late()) {
      if (late.lane.isIn(key)) {
        count++;
        oldest = Math.max(oldest, now - late.arrivedAt);
      }
    }
    return new QueuedRequests(count, Duration.ofNanos(oldest));
  }
}
