package dev.pacegate.redis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.KeyedLimiter;
import dev.pacegate.time.ManualTime;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * However many keys want something, the connection has a few of their requests to keep: the others
 * wait in this process, and none is repeated because it is late.
 */
class CrowdOfKeysTest {

  private static final String LIMIT = "peer(10/1h, unanswered=1s)";
  private static final int KEYS = 1_000;
  private static final int MOST_KEYS = 10_000;
  private static final int AWAY = 20; // seconds
  private static final int FEW_TIMERS = 5; // of all keys together

  /** The first, which asks for the limit, and another for each of up to three calls of a key. */
  private static final int CALLS_OF_A_KEY = 3;

  private final ManualTime time = ManualTime.manual(1_000_000_000);
  private final Deque<Asked> kept = new ArrayDeque<>(); // by the connection, unanswered
  private boolean isOpen = true;
  private final KeyHash hash = new KeyHash("a secret of all nodes");
  private final Settings settings = new Settings(WhenDown.WAIT, Duration.ZERO, true, hash, "");
  private final Store store =
      new Store(
          Asked.connection(this::keep, () -> isOpen),
          new Wire(),
          problem -> problem,
          () -> {},
          time);
  private final SharedSource source = new SharedSource("keys", hash, settings, store, time);
  private final KeyedLimiter<Integer> keys =
      KeyedLimiter.builder(LIMIT)
          .source(source)
          .time(time)
          .executor(Runnable::run)
          .maxKeys(MOST_KEYS)
          .build();
  private int permits;
  private int keptEntries;
  private int mostKept;

  @AfterEach
  void theConnectionKeepsAFewEntries() {
    assertTrue(mostKept <= CallWindow.MOST, () -> mostKept + " entries");
  }

  @ParameterizedTest
  @ValueSource(ints = {100, KEYS})
  void aServerThatIsSilentForAWhileLosesNoKey(int many) {
    askOfEach(many);
    pass(AWAY);
    answerAll(many);
    assertEquals(many, permits);
    assertIdle();
  }

  /** The first calls stay with the client, which makes them again. */
  @Test
  void aConnectionThatIsLostLosesNoKey() {
    askOfEach(KEYS);
    isOpen = false;
    pass(AWAY);
    isOpen = true;
    answerAll(KEYS);
    assertEquals(KEYS, permits);
    assertIdle();
  }

  @Test
  @Tag("slow")
  void soDoesAServerThatIsSilentForTenThousandKeys() {
    aServerThatIsSilentForAWhileLosesNoKey(MOST_KEYS);
  }

  @Test
  @Tag("slow")
  void aSlowServerServesTenThousandKeys() {
    aSlowServerServesAllKeys(MOST_KEYS, 50, 0);
  }

  /** Were as many under way as ever, each answer would come too late, and be asked for again. */
  @ParameterizedTest
  @CsvSource({"100, 50, 0", "1000, 50, 0", "100, 0, 50", "1000, 0, 50", "1000, 900, 0"})
  void aSlowServerServesAllKeys(int many, int millisACall, int millisAKey) {
    askOfEach(many);
    int calls = 0;
    while (permits < many) {
      Asked call = kept.peek();
      if (call == null) {
        assertTrue(time.advanceToNext(), "a key waits for nothing");
      } else {
        time.advance(Duration.ofMillis(millisACall + millisAKey * (long) call.entries().size()));
        assertTrue(calls++ < CALLS_OF_A_KEY * many, "calls without end");
        answer(kept.remove());
      }
    }
    assertIdle();
  }

  /**
   * Places must be granted within 100 ms: if as many calls were under way as are answered within a
   * second, no grant would come in time, and each would be asked for again.
   */
  @Test
  void aSlowServerServesThePlacesOfAllKeys() {
    String limit = "concurrent(10)";
    var server = new LoadedServer(time, limit, Duration.ZERO, Duration.ofMillis(1), Duration.ZERO);
    var busy = new Store(server.connection(), new Wire(), problem -> problem, () -> {}, time);
    var places = new SharedSource("places", hash, settings, busy, time);
    KeyedLimiter<Integer> ofPlaces =
        KeyedLimiter.builder(limit).source(places).time(time).executor(Runnable::run).build();
    askOfEach(ofPlaces, KEYS);
    time.advance(Duration.ofSeconds(8));
    assertEquals(KEYS, permits);
    assertEquals(0, ofPlaces.all().snapshot().open());
  }

  /** Each key then tells the server at once that its request is over. */
  @Test
  void closingAllKeysWithoutAServerLeavesNothing() {
    askOfEach(KEYS);
    answerAll(KEYS);
    assertTrue(time.pending() >= KEYS, "each key tells so within the hour");
    keys.close();
    pass(1);
    close();
    pass(2);
    assertEquals(0, time.pending());
  }

  @Test
  void closingTheConnectionAloneLeavesNothing() {
    askOfEach(KEYS);
    answerAll(KEYS);
    close();
    assertTrue(time.pending() <= FEW_TIMERS, () -> time.pending() + " timers");
  }

  @Test
  void aKeyThatComesWhenTheConnectionWasClosedIsRefused() {
    askOfEach(1);
    answerAll(1);
    close();
    for (int key = 0; key < 2; key++) {
      assertTrue(keys.acquireAsync(key).toCompletableFuture().isCompletedExceptionally());
    }
    assertIdle();
    assertTrue(keys.acquireAsync(1).toCompletableFuture().isCompletedExceptionally(), "again");
    assertIdle();
  }

  private void askOfEach(int many) {
    askOfEach(keys, many);
  }

  private void askOfEach(KeyedLimiter<Integer> of, int many) {
    for (int key = 0; key < many; key++) {
      var unused =
          of.acquireAsync(key)
              .thenAccept(
                  permit -> {
                    permits++;
                    permit.answered();
                  });
    }
  }

  private void pass(int seconds) {
    for (int i = 0; i < seconds; i++) {
      time.advance(Duration.ofSeconds(1));
    }
  }

  private void answerAll(int many) {
    int calls = 0;
    while (permits < many) {
      Asked call = kept.poll();
      if (call == null) {
        assertTrue(time.advanceToNext(), "a key waits for nothing");
      } else {
        assertTrue(calls++ < CALLS_OF_A_KEY * many, "calls without end");
        answer(call);
      }
    }
  }

  private void answer(Asked call) {
    var entries = new ArrayList<List<Object>>();
    for (int i = 0; i < call.entries().size(); i++) {
      boolean knowsLimit = call.knowsLimit(i);
      var entry = ReplyFields.of(knowsLimit ? "" : LIMIT).at(time.nanoTime() / 1000);
      entries.add((knowsLimit ? entry.grant(1, 2_000_000) : entry).toEntry());
    }
    keptEntries -= entries.size();
    call.complete(ReplyFields.of(LIMIT).toReply(entries));
  }

  /** As closing the limiters does. */
  private void close() {
    store.close(Duration.ZERO);
    source.refuse("the connection of these limiters was closed");
  }

  private void assertIdle() {
    assertEquals(0, keys.all().snapshot().waiting());
    assertEquals(0, keys.all().snapshot().open());
  }

  private void keep(Asked call) {
    kept.add(call);
    keptEntries += call.entries().size();
    mostKept = Math.max(mostKept, keptEntries);
  }
}
