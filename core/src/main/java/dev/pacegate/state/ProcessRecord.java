package dev.pacegate.state;

import dev.pacegate.state.Slots.DamagedException;
import java.util.UUID;

/**
 * What one process records so that the next one can tell how much time has passed.
 *
 * @param generation how often this has been written
 * @param boot the boot it ran under
 * @param offset added to its monotonic clock gives instants of the file
 * @param closed whether it has ended in order
 * @param closedAt when it ended, by the clock of the file
 * @param wall when it ended, by the wall clock
 * @param forgot whether the file had no room for some entries
 */
record ProcessRecord(
    long generation,
    UUID boot,
    long offset,
    boolean closed,
    long closedAt,
    long wall,
    boolean forgot) {

  /** Returns the record that was written last. */
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
