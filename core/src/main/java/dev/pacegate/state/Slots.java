package dev.pacegate.state;

import java.lang.invoke.VarHandle;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A part of a mapped file, divided into slots of equally many numbers. Whenever the process dies, a
 * slot holds all of what was last written to it, or nothing.
 *
 * <p>The first number of each slot is a checksum of all others and of its position, and 0 while the
 * slot is being written. What was stored before a process died is in the file, so a torn slot is
 * empty, and a slot with a wrong checksum was damaged.
 */
final class Slots {

  private static final long GOLDEN = 0x9E3779B97F4A7C15L;

  /** The file holds data that no process wrote. */
  static final class DamagedException extends Exception {
    DamagedException() {
      super("damaged");
    }
  }

  private final MappedMemory memory;
  private final int begin;
  private final int count;
  private final int length; // in numbers, the check included

  Slots(MappedMemory memory, int begin, int count, int length) {
    this.memory = memory;
    this.begin = begin;
    this.count = count;
    this.length = length;
  }

  int count() {
    return count;
  }

  /** Returns where the next part may begin. */
  int end() {
    return at(count);
  }

  /** Empties all slots. */
  void wipe() {
    memory.wipe(begin, end());
  }

  private int at(int slot) {
    return begin + slot * length * Long.BYTES;
  }

  /** Returns one number of a slot, whether it holds anything or not. */
  long get(int slot, int index) {
    return memory.get(at(slot) + index * Long.BYTES);
  }

  /** Writes {@code numbers}, with the checksum in place of the first. */
  void write(int slot, long[] numbers) {
    int at = at(slot);
    clear(slot);
    VarHandle.storeStoreFence();
    long sum = at;
    for (int i = 1; i < length; i++) {
      memory.set(at + i * Long.BYTES, numbers[i]);
      sum = added(sum, i, numbers[i]);
    }
    memory.setInTurn(at, check(sum));
  }

  void clear(int slot) {
    memory.setInTurn(at(slot), 0);
  }

  /** Returns the numbers in a slot; null if it is empty. */
  long @Nullable [] read(int slot) throws DamagedException {
    long found = get(slot, 0);
    if (found == 0) {
      return null;
    }
    var numbers = new long[length];
    long sum = at(slot);
    for (int i = 1; i < length; i++) {
      numbers[i] = get(slot, i);
      sum = added(sum, i, numbers[i]);
    }
    if (found != check(sum)) {
      throw new DamagedException();
    }
    return numbers;
  }

  /**
   * Returns the newer of this slot and the next one, which are written in turns with first numbers
   * that grow; null if both are empty.
   */
  long @Nullable [] readLast(int slot) throws DamagedException {
    long[] one = read(slot);
    long[] other = read(slot + 1);
    if (one == null || other == null) {
      return one == null ? other : one;
    }
    return Arrays.compare(one, 1, length, other, 1, length) > 0 ? one : other;
  }

  /**
   * Multiplies by an odd factor of its own for each position, so that no change of a number goes
   * unnoticed.
   */
  private static long added(long sum, int place, long number) {
    return sum + number * (GOLDEN * (2 * place + 1));
  }

  private static long check(long sum) {
    return (sum ^ (sum >>> 32)) * GOLDEN | 1;
  }
}
