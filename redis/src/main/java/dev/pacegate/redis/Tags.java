package dev.pacegate.redis;

import io.lettuce.core.cluster.SlotHash;
import java.nio.ByteBuffer;
import java.util.Base64;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The hash tags over which the keys of a limit are spread. Each has a record of its own, and lies
 * on one node of a cluster. The first is the name itself, as if nothing was spread; which the
 * others are depends on the name and their number alone, not on how many there are.
 *
 * <p>Thread-safe.
 */
final class Tags {

  /** As many as a cluster may have nodes, and some. */
  static final int MOST = 1024;

  /**
   * From one tag to the next, in slots: the golden section of all. So any number of tags from the
   * first on lies about evenly on nodes that have ranges of slots.
   */
  private static final int STEP = 10_125;

  /**
   * Of so many texts the one whose slot is nearest is taken: a few thousandths of the slots away.
   */
  private static final int CANDIDATES = 512;

  private static final Pattern RECORD =
      Pattern.compile("pacegate:\\{(?:([^}]+):\\d+\\}:\\{\\d+|(.+))\\}");

  private final String name;
  private final int count;
  private final AtomicReferenceArray<String> records;

  /**
   * Creates the tags of a name.
   *
   * @throws IllegalArgumentException if there cannot be so many, or not of that name
   */
  Tags(String name, int count) {
    requireCount(count);
    if (count > 1 && name.indexOf('}') >= 0) {
      throw new IllegalArgumentException(
          "keys are spread by what stands between braces: the name must not contain }: " + name);
    }
    this.name = name;
    this.count = count;
    this.records = new AtomicReferenceArray<>(Math.max(2, count));
  }

  static void requireCount(int count) {
    if (count < 1 || count > MOST) {
      throw new IllegalArgumentException(
          "keys are spread over 1 to " + MOST + " tags, not over " + count);
    }
  }

  int count() {
    return count;
  }

  /** Returns the key of a record in the store; of the second tag even if there is but one. */
  String record(int tag) {
    String known = records.get(tag);
    if (known == null) {
      known = tag == 0 ? record(name) : record(text(tag)) + ":{" + tag + "}";
      records.set(tag, known);
    }
    return known;
  }

  /** Returns the key of the record of a name that is not spread. */
  static String record(String name) {
    return "pacegate:{" + name + "}";
  }

  private String text(int tag) {
    int slots = SlotHash.SLOT_COUNT;
    int wanted = (SlotHash.getSlot(record(name)) + tag * STEP) % slots;
    String nearest = "";
    int least = slots;
    for (int i = tag * CANDIDATES; i < (tag + 1) * CANDIDATES; i++) {
      String text = name + ":" + i;
      int away = Math.floorMod(SlotHash.getSlot(record(text)) - wanted, slots);
      if (Math.min(away, slots - away) < least) {
        least = Math.min(away, slots - away);
        nearest = text;
      }
    }
    return nearest;
  }

  /** Returns the tag of a key, by its {@linkplain KeyHash hash}. */
  int of(String hash) {
    long first = ByteBuffer.wrap(Base64.getUrlDecoder().decode(hash)).getLong();
    return (int) Long.remainderUnsigned(first, count);
  }

  /**
   * Returns what the record remembers of those that use it, and compares: the check of the secret,
   * and over how many tags they spread the keys. One of an earlier version, which does not, sees
   * another check.
   */
  String check(String secret) {
    return count == 1 ? secret : secret + "/" + count;
  }

  /** Returns the name of which a key in the store is a record; empty if it is none. */
  static String nameOf(String key) {
    Matcher record = RECORD.matcher(key);
    if (!record.matches()) {
      return "";
    }
    return record.group(1) == null ? record.group(2) : record.group(1);
  }
}
