package dev.pacegate.redis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import dev.pacegate.time.ManualTime;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Keys of one source share a call, and each gets its own reply or failure. */
class GatheringTest {

  private static final String LIMIT = "10/1s";

  private final ManualTime time = ManualTime.manual(1_000_000_000);
  private final Deque<Asked> asked = new ArrayDeque<>();
  private final Store store =
      new Store(Asked.connection(asked::add), new Wire(), problem -> problem, () -> {}, time);
  private final Object source = new Object();
  private int argumentsMade;

  /** What one key of the source asks, and what it is told. */
  private final class Key {
    final String name;
    final Address address;
    boolean cannotAsk;
    int answers;
    @Nullable Reply reply;
    @Nullable Throwable failure;

    Key(int number) {
      this.name = "key" + number;
      this.address = new Address("api", name, "check");
    }

    void call() {
      store.run(
          Script.ACQUIRE,
          address,
          1,
          Callers.of(
              source,
              this::arguments,
              why -> {},
              (told, problem) -> {
                answers++;
                reply = told;
                failure = problem;
              }));
    }

    private List<String> arguments() {
      if (cannotAsk) {
        throw new LinkageError("of a test");
      }
      argumentsMade++;
      return List.of(name);
    }
  }

  @Test
  void keysThatWaitShareACall() {
    List<Key> keys = gather(3);
    Asked call = asked.remove();
    assertEquals(0, asked.size());
    assertEquals(
        List.of(
            "pacegate:{api}", "pacegate:{api}:key1", "pacegate:{api}:key2", "pacegate:{api}:key3"),
        call.keys());
    assertEquals(List.of("", "key1", "key2", "key3"), call.arguments());
    call.complete(reply().toReply(List.of(granted(1), granted(2), granted(3))));
    for (int i = 0; i < keys.size(); i++) {
      assertEquals(i + 1, units(keys.get(i)));
    }
  }

  @Test
  void argumentsAreMadeWithTheirCall() {
    Key first = new Key(0);
    first.call();
    new Key(1).call();
    assertEquals(1, argumentsMade);
    asked.remove().complete(reply().toReply(List.of(granted(1))));
    assertEquals(2, argumentsMade);
  }

  @Test
  void aKeyThatFailsInTheStoreFailsAlone() {
    List<Key> keys = gather(3);
    asked.remove().complete(reply().toReply(List.of(granted(1), List.of("WRONGTYPE"), granted(3))));
    assertEquals(1, units(keys.get(0)));
    assertEquals("WRONGTYPE", message(keys.get(1)));
    assertEquals(3, units(keys.get(2)));
  }

  @Test
  void aKeyWhoseArgumentsCannotBeMadeFailsAlone() {
    List<Key> keys = gather(3, 1);
    Asked call = asked.remove();
    assertEquals(
        List.of("pacegate:{api}", "pacegate:{api}:key1", "pacegate:{api}:key3"), call.keys());
    assertEquals("of a test", message(keys.get(1)));
    call.complete(reply().toReply(List.of(granted(1), granted(3))));
    assertEquals(1, units(keys.get(0)));
    assertEquals(3, units(keys.get(2)));
  }

  @Test
  void aCallOfWhichNothingIsLeftIsNotMade() {
    List<Key> keys = gather(2, 0, 1);
    assertEquals(0, asked.size());
    assertEquals("of a test", message(keys.get(0)));
    Key next = new Key(9);
    next.call();
    assertEquals(1, asked.size(), "there is room");
  }

  @Test
  void aKeyThatTheServerForgetsToAnswerIsToldSo() {
    List<Key> keys = gather(2);
    asked.remove().complete(reply().toReply(List.of(granted(1))));
    assertEquals(1, units(keys.get(0)));
    assertNotNull(keys.get(1).failure);
  }

  @Test
  void aCallThatFailsFailsForAllItsKeysOnce() {
    List<Key> keys = gather(3);
    asked.remove().completeExceptionally(new IllegalStateException("the connection was lost"));
    for (Key key : keys) {
      assertEquals("the connection was lost", message(key));
      assertEquals(1, key.answers);
    }
  }

  @Test
  void replicasConfirmACallAndNotEachKey() {
    List<Key> keys = gather(3);
    asked
        .remove()
        .complete(
            reply()
                .replicas(List.of("10.0.0.2:7"))
                .toReply(List.of(granted(1), granted(2), granted(3))));
    assertNull(keys.get(0).reply);
    assertEquals(2, asked.size(), "WAIT and INFO");
    asked.remove().complete(1L);
    asked.remove().complete("slave0:ip=10.0.0.2,port=7,state=online,offset=9,lag=0");
    assertEquals(0, asked.size());
    assertEquals(List.of(1L, 2L, 3L), keys.stream().map(this::units).toList());
  }

  @Test
  void aServerThatAsksForItsAddressIsToldItForAllKeys() {
    List<Key> keys = gather(2);
    asked.remove().complete(List.of("run1"));
    Asked again = asked.remove();
    assertEquals(List.of("run1 ", "key1", "key2"), again.arguments());
    assertEquals(3 + 2, argumentsMade, "once for each, and the others");
    again.complete(reply().toReply(List.of(granted(1), granted(2))));
    assertEquals(2, units(keys.get(1)));
  }

  /** Of another record, such as one part of the keys: a script works on one. */
  @Test
  void keysOfAnotherRecordHaveAnotherCall() {
    new Key(0).call();
    for (String record : List.of("one", "another")) {
      for (int i = 0; i < 2; i++) {
        store.run(
            Script.ACQUIRE,
            new Address(record, "key" + i, ""),
            1,
            Callers.of(source, List::of, why -> {}, (reply, why) -> {}));
      }
    }
    assertEquals(3, asked.size());
    answerAll();
    asked.forEach(call -> assertEquals(2, call.keys().size()));
  }

  @Test
  void closingFailsEachKeyOnce() {
    List<Key> keys = gather(3);
    new Key(4).call();
    store.close(Duration.ZERO);
    asked.remove().complete(reply().toReply(List.of(granted(1), granted(2), granted(3))));
    for (Key key : keys) {
      assertEquals(1, key.answers);
      assertEquals("the connection was closed", message(key));
    }
    assertEquals(0, asked.size(), "none is made any more");
    assertEquals(0, time.pending());
  }

  private void answerAll() {
    for (Asked call : List.copyOf(asked)) {
      asked.remove();
      call.complete(reply().toReply(List.of(granted(1))));
    }
  }

  /** Returns so many keys that wait while another calls, which is then answered. */
  // At most three.
  private List<Key> gather(int count, Integer... cannotAsk) {
    var others = new ArrayList<Key>();
    for (int i = 0; i < 1 + 2; i++) { // two calls: then four keys have to wait before a third
      others.add(new Key(-i));
      others.get(i).call();
    }
    List<Key> keys = IntStream.rangeClosed(1, count).mapToObj(Key::new).toList();
    keys.forEach(Key::call);
    for (int each : cannotAsk) {
      keys.get(each).cannotAsk = true;
    }
    assertEquals(2, asked.size());
    Asked two = asked.removeLast();
    asked.remove().complete(reply().toReply(List.of(granted(1))));
    two.complete(reply().toReply(List.of(granted(1), granted(1))));
    return keys;
  }

  private static ReplyFields reply() {
    return ReplyFields.of(LIMIT);
  }

  private static List<Object> granted(long units) {
    return ReplyFields.of(LIMIT).grant(units, 1_000_000).toEntry();
  }

  private long units(Key key) {
    Reply reply = key.reply;
    assertNotNull(reply, () -> "" + key.failure);
    return reply.grants().get(0).units().get(0);
  }

  private static @Nullable String message(Key key) {
    Throwable failure = key.failure;
    return failure == null ? null : failure.getMessage();
  }
}
