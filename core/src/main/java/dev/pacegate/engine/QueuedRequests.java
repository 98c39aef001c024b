package dev.pacegate.engine;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** How many requests wait, and how long the first that came has; 0 if none waits. */
record QueuedRequests(int count, Duration oldest) {

  /** Counts all that wait. */
  static QueuedRequests all(WaitQueue queue, long now) {
    return count(null, queue, now);
  }

  /** Counts those that wait for a key, and for the keys in that group. */
  static QueuedRequests ofKey(@Nullable Lane key, WaitQueue queue, long now) {
    if (key == null) {
      return new QueuedRequests(0, Duration.ZERO);
    }
    return count(key, queue, now);
  }

  private static QueuedRequests count(@Nullable Lane key, WaitQueue queue, long now) {
    int count = 0;
    long oldest = 0;
    boolean hasOneLane = key != null && !key.isGroup();
    Lane lane = hasOneLane ? key : queue.firstLane();
    while (lane != null) {
      if (key == null || lane.isIn(key)) {
        count += lane.size();
        oldest = Math.max(oldest, lane.oldestWait(now));
      }
      lane = hasOneLane ? null : lane.next;
    }
    for (FutureWaiter late : queue.late()) {
      if (key == null || late.lane.isIn(key)) {
        count++;
        oldest = Math.max(oldest, now - late.arrivedAt);
      }
    }
    return new QueuedRequests(count, Duration.ofNanos(oldest));
  }
}
