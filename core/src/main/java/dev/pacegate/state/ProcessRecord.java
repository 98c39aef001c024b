package dev.pacegate.state;

import dev.pacegate.state.Slots.DamagedException;
import java.util.UUID;

/**
 * What one process leaves for the next one to tell how much time has passed.
 *
 * @param generation how often this has been written
 * @param boot the boot it ran under
 * @param offset what is added to its monotonic clock to give instants of the file
 * @param closed whether it has ended in order
 * @param closedAt when, by the clock of the file
 * @param wall and by that on the wall
 * @param forgot whether there was more than the file can keep
 */
record ProcessRecord(
    long generation,
    UUID boot,
    long offset,
    boolean closed,
    long closedAt,
    long wall,
    boolean forgot) {

  /** Returns the one that was written last. */
  static ProcessRecord read(Slots slots) throws DamagedException {
    long[] n = slots.readLast(0);
    if (n == null) {
      throw new DamagedException();
    }
    return new ProcessRecord(n[1], new UUID(n[2], n[3]), n[4], n[5] == 1, n[6], n[7], n[8] == 1);
  }

  void writeTo(Slots slots) {
    var numbers = new long[LogRecord.LENGTH];
    numbers[1] = generation;
    numbers[2] = boot.getMostSignificantBits();
    numbers[3] = boot.getLeastSignificantBits();
    numbers[4] = offset;
    numbers[5] = closed ? 1 : 0;
    numbers[6] = closedAt;
    numbers[7] = wall;
    numbers[8] = forgot ? 1 : 0;
    slots.write((int) (generation & 1), numbers);
  }

  ProcessRecord closedAt(long instant, long wallNanos) {
    return new ProcessRecord(generation + 1, boot, offset, true, instant, wallNanos, forgot);
  }

  ProcessRecord forgetting() {
    return new ProcessRecord(generation + 1, boot, offset, closed, closedAt, wall, true);
  }
}
