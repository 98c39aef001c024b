package dev.pacegate.limit;

import java.util.Arrays;

/**
 * A {@link TimestampRing} of less than a fifth of the size, for windows of an hour and more: 12
 * bits for each unit.
 *
 * <p>Timestamps are rounded up to a grain of less than a thousandth of the interval: never too
 * early, so never over the limit.
 */
/*
 * A stamp is its distance from `origin`, in grains: from -3072 to 1023. Whenever a unit comes 1024
 * grains after the origin, that moves there, and what is older than the interval, at most 2048
 * grains, is told as of then: it matters to a change of the limit alone, which counts it late.
 *
 * Windows of less than an hour are exact: their histories are soon gone, and many are used fast.
 */
final class CoarseRing extends TimestampRing {

  /** An exact ring of so many is small enough. */
  static final int FEWEST_UNITS = 129;

  static final long SHORTEST = 3_600_000_000_000L;

  private static final int GRAINS = 4096;
  private static final int AHEAD = 1024;
  private static final int BACK = 2048;

  private final int shift;
  private byte[] codes = new byte[bytes(FEWEST_SLOTS)];
  private long origin; // where the first unit came, or a number of grains later

  CoarseRing(Rate rate) {
    super(rate, new long[0], FEWEST_SLOTS);
    this.shift = Long.SIZE - Long.numberOfLeadingZeros((rate.nanos() - 1) / BACK);
  }

  private static int bytes(int slots) {
    return slots / 2 * 3;
  }

  private long up(long stamp) {
    long grain = 1L << shift;
    return origin + ((stamp - origin + grain - 1) & -grain);
  }

  @Override
  public void addOne(long stamp, boolean full) {
    super.addOne(reach(stamp), full);
  }

  @Override
  public void add(long stamp, long units) {
    super.add(reach(stamp), units);
  }

  @Override
  public void remove(long stamp, long units) {
    super.remove(up(stamp), units);
  }

  /** Moves the origin if need be, and returns the rounded stamp. */
  private long reach(long stamp) {
    if (known() == 0) {
      origin = stamp;
    }
    long rounded = up(stamp);
    if ((rounded - origin) >> shift >= AHEAD) {
      long oldest = rounded - ((long) BACK << shift);
      for (int slot = 0; slot < length(); slot++) {
        put(slot, Nanos.later(stamp(slot), oldest), rounded);
      }
      origin = rounded;
    }
    return rounded;
  }

  @Override
  int length() {
    return codes.length / 3 * 2;
  }

  @Override
  void lengthen(int length) {
    codes = Arrays.copyOf(codes, bytes(length));
  }

  @Override
  long stamp(int slot) {
    int at = slot / 2 * 3;
    int code =
        slot % 2 == 0
            ? (codes[at] & 0xFF) | ((codes[at + 1] & 0xF) << 8)
            : ((codes[at + 1] & 0xF0) >> 4) | ((codes[at + 2] & 0xFF) << 4);
    int grains = code < AHEAD ? code : code - GRAINS;
    return origin + ((long) grains << shift);
  }

  @Override
  void put(int slot, long stamp) {
    put(slot, stamp, origin);
  }

  private void put(int slot, long stamp, long from) {
    int code = (int) ((stamp - from) >> shift);
    int at = slot / 2 * 3;
    if (slot % 2 == 0) {
      codes[at] = (byte) code;
      codes[at + 1] = (byte) ((codes[at + 1] & 0xF0) | ((code >> 8) & 0xF));
    } else {
      codes[at + 1] = (byte) ((codes[at + 1] & 0xF) | ((code & 0xF) << 4));
      codes[at + 2] = (byte) (code >> 4);
    }
  }
}
