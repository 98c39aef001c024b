package dev.pacegate.history;

import java.time.Instant;
import java.time.InstantSource;

/**
 * A time of day that can be set back while a meter is created as if it had been created earlier.
 */
public final class ShiftedTime implements InstantSource {

  private final InstantSource present;
  private long nanosAgo;

  /** Creates one that shows the time of {@code present}. */
  public ShiftedTime(InstantSource present) {
    this.present = present;
  }

  /** Shows the time of {@code nanosAgo} from now on; the present time if that is 0. */
  public void goBack(long nanosAgo) {
    this.nanosAgo = nanosAgo;
  }

  @Override
  public Instant instant() {
    return nanosAgo == 0 ? present.instant() : present.instant().minusNanos(nanosAgo);
  }
}
