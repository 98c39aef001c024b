package dev.pacegate.state;

import dev.pacegate.limit.Limit;
import dev.pacegate.limit.Measure;
import dev.pacegate.limit.Promise;

/**
 * The numbers of entries in a state file, and where they begin.
 *
 * @param ring of requests that are over
 * @param open of open ones
 * @param epochs of limits that were in force
 * @param begin where they begin, one after another; what is before is the same in all files
 */
record FileSize(int ring, int open, int epochs, int begin) {

  static final FileSize USUAL = new FileSize(1 << 14, 1 << 14);

  /** 64 KB. */
  static final FileSize LITTLE = new FileSize(128, 128, 8);

  private static final int MOST_ENTRIES = 1 << 20;
  private static final int MOST_EPOCHS = 64;
  private static final int MOST_PERMITS_OF_LITTLE = 64;

  FileSize(int ring, int open) {
    this(ring, open, MOST_EPOCHS);
  }

  FileSize(int ring, int open, int epochs) {
    this(ring, open, epochs, StateFile.EPOCHS);
  }

  /** Returns as many entries that begin elsewhere. */
  FileSize from(int begin) {
    return new FileSize(ring, open, epochs, begin);
  }

  /**
   * Returns the size of a file for {@code limit}: little if half of the ring holds all requests of
   * its longest interval, and the table of open ones those that may be open.
   */
  static FileSize of(Limit limit) {
    return limit.promises().stream().allMatch(FileSize::isLittle) ? LITTLE : USUAL;
  }

  private static boolean isLittle(Promise promise) {
    if (promise instanceof Promise.AtMost window) {
      return window.of().equals(Measure.PLAIN) && window.max() <= MOST_PERMITS_OF_LITTLE;
    } else if (promise instanceof Promise.Open open) {
      return open.max() <= MOST_PERMITS_OF_LITTLE;
    }
    return promise instanceof Promise.Gap;
  }

  boolean isPossible() {
    return isWithin(4, ring, MOST_ENTRIES)
        && isWithin(1, open, MOST_ENTRIES)
        && isWithin(4, epochs, MOST_EPOCHS);
  }

  private static boolean isWithin(int least, int number, int most) {
    return least <= number && number <= most;
  }

  /** Returns whether a file of this size has room for what one of that size has. */
  boolean holds(FileSize other) {
    return ring >= other.ring && open >= other.open && epochs >= other.epochs;
  }

  int check() {
    return epochs == USUAL.epochs ? ~(31 * ring + open) : ~(31 * (31 * ring + open) + epochs);
  }

  /** Returns where the ring begins. */
  int ringAt() {
    return begin + epochs * LimitEpoch.LENGTH * Long.BYTES;
  }

  int bytes() {
    return ringAt() + (2 * ring + open) * LogRecord.LENGTH * Long.BYTES;
  }
}
