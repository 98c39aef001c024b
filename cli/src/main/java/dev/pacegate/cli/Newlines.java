package dev.pacegate.cli;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * Looks for newlines by eight bytes at a time: the quick one of the JVM's compilers, which is all
 * that the launcher asks for, makes nothing of the kind out of a loop over bytes.
 */
final class Newlines {

  private static final VarHandle LONGS =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  private static final long ONES = 0x0101010101010101L;
  private static final long TOP_BITS = 0x8080808080808080L;

  private Newlines() {}

  /** Returns where the next newline in {@code [from, to)} ends; -1 if there is none. */
  static int behindNext(byte[] bytes, int from, int to) {
    int i = from;
    for (; i + Long.BYTES <= to; i += Long.BYTES) {
      long differing = (long) LONGS.get(bytes, i) ^ '\n' * ONES; // a newline is now a zero byte
      long found = (differing - ONES) & ~differing & TOP_BITS; // its lowest bit is right
      if (found != 0) {
        return i + Long.numberOfTrailingZeros(found) / Byte.SIZE + 1;
      }
    }
    while (i < to && bytes[i] != '\n') {
      i++;
    }
    return i < to ? i + 1 : -1;
  }
}
