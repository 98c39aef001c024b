package dev.pacegate.redis;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Where keys go that are spread over tags, and where the tags go in a cluster. */
class TagsTest {

  private static final int SLOTS = 16_384;
  private static final List<String> NAMES = List.of("accounts", "a", "Kunden–EU", "x{y", "a:1");

  /** Counted: each has its share of 20 000 keys, but for six standard deviations. */
  @ParameterizedTest
  @ValueSource(ints = {2, 3, 16, 100})
  void keysAreSpreadEvenly(int count) {
    int keys = 20_000;
    var tags = new Tags("accounts", count);
    var hash = new KeyHash("a secret of all nodes");
    var counted = new int[count];
    for (int key = 0; key < keys; key++) {
      counted[tags.of(hash.of("accounts", "account " + key))]++;
    }
    double mean = (double) keys / count;
    for (int each : counted) {
      assertTrue(Math.abs(each - mean) < 6 * Math.sqrt(mean), () -> Arrays.toString(counted));
    }
  }

  /** So all processes have it in the same place, of whatever version. */
  @Test
  void aKeyHasOneTagForEver() {
    var hash = new KeyHash("a secret of all nodes");
    var tags = new Tags("accounts", 16);
    List<Integer> found =
        IntStream.range(0, 12).mapToObj(key -> tags.of(hash.of("accounts", "" + key))).toList();
    assertEquals(List.of(3, 11, 15, 12, 0, 14, 6, 5, 9, 8, 6, 4), found);
  }

  /** Of as many nodes as have ranges of the slots, none has many more tags than its share. */
  @ParameterizedTest
  @CsvSource({"3, 12", "3, 16", "4, 16", "5, 16", "6, 24", "10, 40", "10, 64"})
  void nodesHaveTheirShareOfTheTags(int nodes, int count) {
    for (String name : NAMES) {
      var tags = new Tags(name, count);
      var counted = new int[nodes];
      for (int tag = 0; tag < count; tag++) {
        counted[slot(tags.record(tag)) * nodes / SLOTS]++;
      }
      int most = Arrays.stream(counted).max().orElseThrow();
      int least = Arrays.stream(counted).min().orElseThrow();
      String text = name + Arrays.toString(counted);
      assertTrue(most <= Math.ceil((double) count / nodes) + 1, text);
      assertTrue(least >= Math.floor((double) count / nodes) - 1, text);
    }
  }

  @Test
  void aTagsRecordDoesNotDependOnHowManyThereAre() {
    var few = new Tags("accounts", 2);
    var many = new Tags("accounts", Tags.MOST);
    assertEquals("pacegate:{accounts}", few.record(0));
    var records = new HashSet<String>();
    for (int tag = 0; tag < Tags.MOST; tag++) {
      records.add(many.record(tag));
    }
    assertEquals(Tags.MOST, records.size());
    assertEquals(many.record(1), few.record(1));
    assertEquals(many.record(1), new Tags("accounts", 1).record(1)); // at which it looks
  }

  @Test
  void theNameOfARecordIsFound() {
    for (String name : NAMES) {
      var tags = new Tags(name, 20);
      for (int tag = 0; tag < 20; tag++) {
        assertEquals(name, Tags.nameOf(tags.record(tag)));
        assertEquals("", Tags.nameOf(tags.record(tag) + ":sOmEhAsHoFaKeYOf22Chars"));
      }
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {Integer.MIN_VALUE, -1, 0, 1025, Integer.MAX_VALUE})
  void anotherNumberIsRefusedWithTheRange(int count) {
    var refused = assertThrows(IllegalArgumentException.class, () -> new Tags("a", count));
    assertEquals("keys are spread over 1 to 1024 tags, not over " + count, refused.getMessage());
  }

  /** All tags of such a name would lie on one node. */
  @Test
  void aNameThatEndsTheTagIsRefused() {
    var refused = assertThrows(IllegalArgumentException.class, () -> new Tags("a}b", 2));
    assertTrue(("" + refused.getMessage()).contains("a}b"), refused::toString);
    assertEquals("pacegate:{a}b}", new Tags("a}b", 1).record(0));
  }

  /** By the specification of Redis Cluster: CRC16 (XMODEM) of what the first braces hold. */
  private static int slot(String key) {
    int open = key.indexOf('{');
    byte[] text = key.substring(open + 1, key.indexOf('}', open + 1)).getBytes(UTF_8);
    int crc = 0;
    for (byte each : text) {
      crc ^= (each & 0xff) << 8;
      for (int bit = 0; bit < 8; bit++) {
        crc = (crc & 0x8000) == 0 ? crc << 1 : (crc << 1) ^ 0x1021;
      }
    }
    return (crc & 0xffff) % SLOTS;
  }
}
