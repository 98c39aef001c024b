package dev.pacegate.redis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.KeyedLimiter;
import dev.pacegate.time.ManualTime;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * However many keys want something, the connection has a few calls to keep: it keeps each until the
 * server answers it, though the key has given it up and calls again.
 */
class CrowdOfKeysTest {

  private static final String LIMIT = "peer(10/1h, unanswered=1s)";
  private static final int KEYS = 1_000;
  private static final int AWAY = 20; // seconds
  private static final int FEW_TIMERS = 5; // of all keys together
  private static final int MOST_CALLS = 3 * KEYS;

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
          .maxKeys(KEYS)
          .build();
  private int permits;
  private int mostKept;

  @AfterEach
  void theConnectionKeepsAFewCalls() {
    assertEquals(CallWindow.MOST, mostKept);
  }

  @Test
  void aServerThatIsSilentForAWhileLosesNoKey() {
    askOfEach();
    pass(AWAY);
    answerAll();
    assertEquals(KEYS, permits);
    assertIdle();
  }

  /** The first calls stay with the client, which makes them again. */
  @Test
  void aConnectionThatIsLostLosesNoKey() {
    askOfEach();
    isOpen = false;
    pass(AWAY);
    isOpen = true;
    answerAll();
    assertEquals(KEYS, permits);
    assertIdle();
  }

  /** Were as many under way as ever, each answer would come too late, and be asked for again. */
  @Test
  void aServerThatAnswersTwentyCallsASecondServesAllKeys() {
    askOfEach();
    int calls = 0;
    while (permits < KEYS) {
      time.advance(Duration.ofMillis(50));
      Asked call = kept.poll();
      if (call != null) {
        assertTrue(calls++ < MOST_CALLS, "calls without end");
        answer(call);
      }
    }
    assertIdle();
  }

  /** Each key then tells the server at once that its request is over. */
  @Test
  void closingAllKeysWithoutAServerLeavesNothing() {
    askOfEach();
    answerAll();
    assertTrue(time.pending() >= KEYS, "each key tells so within the hour");
    keys.close();
    pass(1);
    close();
    pass(2);
    assertEquals(0, time.pending());
  }

  @Test
  void closingTheConnectionAloneLeavesNothing() {
    askOfEach();
    answerAll();
    close();
    assertTrue(time.pending() <= FEW_TIMERS, () -> time.pending() + " timers");
  }

  private void askOfEach() {
    for (int key = 0; key < KEYS; key++) {
      var unused =
          keys.acquireAsync(key)
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

  private void answerAll() {
    int calls = 0;
    while (permits < KEYS) {
      Asked call = kept.poll();
      if (call == null) {
        assertTrue(time.advanceToNext(), "a key waits for nothing");
      } else {
        assertTrue(calls++ < MOST_CALLS, "calls without end");
        answer(call);
      }
    }
  }

  private void answer(Asked call) {
    boolean knowsLimit = call.knowsLimit(0);
    var reply = ReplyFields.of(knowsLimit ? "" : LIMIT).at(time.nanoTime() / 1000);
    call.complete((knowsLimit ? reply.grant(1, 2_000_000) : reply).toReply());
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
    mostKept = Math.max(mostKept, kept.size());
  }
}
