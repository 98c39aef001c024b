package dev.pacegate.engine.feedback;

import java.util.Arrays;

/** Counts what came within the last interval, to a sixteenth of it. Guarded by the gate. */
final class RecentCount {

  private static final int SLOTS = 16;

  private final long slotNanos;
  private final long[] slots = new long[SLOTS];
  private long newest; // the number of the newest slot

  RecentCount(long interval) {
    this.slotNanos = Math.max(1, interval / SLOTS);
  }

  void add(long now, long amount) {
    turn(now);
    slots[Math.floorMod(newest, SLOTS)] += amount;
  }

  long sum(long now) {
    turn(now);
    return Arrays.stream(slots).sum();
  }

  private void turn(long now) {
    long slot = Math.floorDiv(now, slotNanos);
    if (slot - newest >= SLOTS) {
      Arrays.fill(slots, 0);
      newest = slot;
    }
    while (newest < slot) {
      newest++;
      slots[Math.floorMod(newest, SLOTS)] = 0;
    }
  }
}
