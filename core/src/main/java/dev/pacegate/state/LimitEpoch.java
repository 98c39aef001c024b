package dev.pacegate.state;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.pacegate.limit.Cost;
import dev.pacegate.limit.Limit;
import dev.pacegate.limit.LimitFormatException;
import dev.pacegate.limit.Limits;
import dev.pacegate.limit.Promise;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;

/**
 * The period in which one limit is in force.
 *
 * @param number 1 for the first
 * @param born the number of the event that began it
 * @param at the instant of that event
 * @param spent whether all that the limit gives may have gone then. If not, the first epoch begins
 *     with a fresh meter, and later ones take over from the one before
 */
record LimitEpoch(long number, long born, long at, boolean spent, Limit limit) {

  static final int LENGTH = 128;
  private static final int HEAD = 6;
  private static final int MOST_BYTES = (LENGTH - HEAD) * Long.BYTES;

  /**
   * Checks that a file can store {@code limit}.
   *
   * @throws IllegalArgumentException if not
   */
  static void check(Limit limit) {
    String text = limit.toString();
    if (text.getBytes(UTF_8).length > MOST_BYTES) {
      throw new IllegalArgumentException(
          "a state file stores limits of at most " + MOST_BYTES + " characters: " + text);
    }
    if (names(limit).size() > LogRecord.MOST_NAMES) {
      throw new IllegalArgumentException(
          "a state file stores at most " + LogRecord.MOST_NAMES + " named costs: " + text);
    }
    if (!isRead(limit, text)) {
      throw new IllegalArgumentException(
          "a state file stores limits as text, and Limits.parse cannot read this one: " + text);
    }
  }

  private static boolean isRead(Limit limit, String text) {
    try {
      return Limits.parse(text).equals(limit);
    } catch (LimitFormatException none) {
      return false;
    }
  }

  /** Returns the names of costs that the limit counts; no others are stored. */
  static List<String> names(Limit limit) {
    return limit.promises().stream()
        .map(promise -> promise.of().name())
        .filter(name -> name != null)
        .distinct()
        .sorted()
        .toList();
  }

  /** Returns whether the next process needs to know when a permit ended. */
  static boolean countsWhole(Limit limit) {
    return limit.promises().stream()
        .anyMatch(promise -> promise.countsWhole() && promise.length() > 0);
  }

  /**
   * Returns whether {@code cost} is more than may go at once. Such a request pays by waiting, so
   * its wait must be stored.
   */
  boolean isOversize(Cost cost) {
    for (Promise promise : limit.promises()) {
      if (promise.of().of(cost) > promise.atOnce()) {
        return true;
      }
    }
    return false;
  }

  /** Returns how far back the limit needs to know releases, in nanoseconds; at least 1. */
  long memory() {
    return Math.max(1, limit.memory());
  }

  void writeTo(Slots slots) {
    byte[] text = limit.toString().getBytes(UTF_8);
    var numbers = new long[LENGTH];
    numbers[1] = number;
    numbers[2] = born;
    numbers[3] = at;
    numbers[4] = spent ? 1 : 0;
    numbers[5] = text.length;
    var padded = ByteBuffer.allocate(MOST_BYTES).order(ByteOrder.LITTLE_ENDIAN).put(text);
    padded.rewind().asLongBuffer().get(numbers, HEAD, LENGTH - HEAD);
    slots.write((int) (number % slots.count()), numbers);
  }

  static LimitEpoch read(long[] numbers) {
    var padded = ByteBuffer.allocate(MOST_BYTES).order(ByteOrder.LITTLE_ENDIAN);
    padded.asLongBuffer().put(numbers, HEAD, LENGTH - HEAD);
    String text = new String(padded.array(), 0, (int) numbers[5], UTF_8);
    return new LimitEpoch(numbers[1], numbers[2], numbers[3], numbers[4] == 1, Limits.parse(text));
  }
}
