package dev.pacegate.cli;

import java.time.Duration;

/**
 * How often a command that fails is run again, and after what time: the first, then twice as long
 * each time, up to a minute.
 *
 * @param most how often at most
 * @param first the first time
 */
record JobRetries(int most, Duration first) {

  private static final Duration LONGEST = Duration.ofMinutes(1);
  private static final int MOST_DOUBLED = 16;

  static final JobRetries NONE = new JobRetries(0, Duration.ZERO);

  /** Returns how long to wait before the {@code retry}th, counted from 1. */
  Duration wait(int retry) {
    Duration longest = first.compareTo(LONGEST) > 0 ? first : LONGEST;
    if (retry > MOST_DOUBLED) {
      return longest;
    }
    Duration wait = first.multipliedBy(1L << (retry - 1));
    return wait.compareTo(longest) > 0 ? longest : wait;
  }
}
