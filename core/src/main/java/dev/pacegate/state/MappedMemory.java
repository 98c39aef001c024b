package dev.pacegate.state;

import static java.nio.ByteOrder.LITTLE_ENDIAN;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.MappedByteBuffer;

/**
 * The bytes of a file, mapped. What was stored before a process died is in the file; what was not
 * forced to the disk before the machine died may be there or not, in any order. Tests have another
 * one, which dies.
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

  /** Stores a number, before or after others since the last one that came in turn. */
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

  /** Waits until all is on the disk. */
  void force() {
    bytes.force();
  }
}
