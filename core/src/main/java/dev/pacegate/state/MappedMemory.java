package dev.pacegate.state;

import static java.nio.ByteOrder.LITTLE_ENDIAN;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.MappedByteBuffer;

/**
 * The bytes of a file, mapped into memory. What was stored before the process died is in the file.
 * What was not forced to disk before the machine died may be there or not, in any order. Tests
 * replace it to simulate crashes.
 */
class MappedMemory {

  private static final VarHandle LONG =
      MethodHandles.byteBufferViewVarHandle(long[].class, LITTLE_ENDIAN);

  private final MappedByteBuffer bytes;

  MappedMemory(MappedByteBuffer bytes) {
    this.bytes = bytes;
  }

  long get(int at) {
    return (long) LONG.get(bytes, at);
  }

  /** Stores a number, in any order relative to others since the last ordered store. */
  void set(int at, long number) {
    LONG.set(bytes, at, number);
  }

  /** Stores a number after all that were stored before. */
  void setInTurn(int at, long number) {
    LONG.setRelease(bytes, at, number);
  }

  /** Stores zeros, in any order. */
  void wipe(int begin, int end) {
    bytes.put(begin, new byte[end - begin]);
  }

  /** Waits until everything is on disk. */
  void force() {
    bytes.force();
  }
}
