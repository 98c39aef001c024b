package dev.pacegate.history;

import java.time.Instant;
import java.time.InstantSource;

/** The time of day as it was some time ago: while something is made as if it had been made then. */
public final class ShiftedTime implements InstantSource {

  private final InstantSource present;
  private long nanosAgo;

  /** Makes one that tells the present, as {@code present} does. */
  public ShiftedTime(InstantSource present) {
    this.present = present;
  }

  /** From now on tells the time of {@code nanosAgo}; of the present if that is 0. */
  public void goBack(long nanosAgo) {
    this.nanosAgo = nanosAgo;
  }

  @Override
  public Instant instant() {
    return nanosAgo == 0 ? present.instant() : present.instant().minusNanos(nanosAgo);
  }
}
