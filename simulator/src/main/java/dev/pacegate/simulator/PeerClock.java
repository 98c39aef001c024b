package dev.pacegate.simulator;

/**
 * The peer's own clock: an immutable value.
 *
 * @param offset its reading at instant 0 of the world, in nanoseconds; below 0 if it is behind
 * @param fastPpm how much too fast it goes, in parts per million; too slow if below 0
 * @param grain the granularity of its stamps, in nanoseconds: they are multiples of this
 */
public record PeerClock(long offset, long fastPpm, long grain) {

  /** A clock that shows the world's time. */
  public static final PeerClock TRUE = new PeerClock(0, 0, 1);

  private static final long MILLION = 1_000_000;

  /** Checks the ranges. */
  public PeerClock {
    if (Math.abs(fastPpm) > 100_000) {
      throw new IllegalArgumentException(
          "a peer's clock may be at most 10% too fast or too slow: " + fastPpm + " ppm");
    }
    if (grain < 1) {
      throw new IllegalArgumentException(
          "the grain of a peer's clock must be at least 1 ns: " + grain);
    }
  }

  /** Returns the clock's reading at an instant of the world, from 0. */
  long stamp(long instant) {
    long ahead = instant / MILLION * fastPpm + instant % MILLION * fastPpm / MILLION;
    long shown = offset + instant + ahead;
    return grain == 1 ? shown : shown - Math.floorMod(shown, grain);
  }

  /** Returns an instant of the world at which the clock reads about {@code stamp}, for drawings. */
  long instant(long stamp) {
    return Math.round((stamp - offset) / (1 + fastPpm / (double) MILLION));
  }
}
