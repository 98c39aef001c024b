package dev.pacegate.redis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.Limiter;
import dev.pacegate.time.ManualTime;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import org.junit.jupiter.api.Test;

/** What a reply is good for that comes long after its call: what it grants, until that is over. */
class LateReplyTest {

  private static final String LIMIT = "peer(10/1h, unanswered=1s)";
  private static final Duration USE = Duration.ofSeconds(2); // of a lease, from its call on

  private final ManualTime time = ManualTime.manual(1_000_000_000);
  private final Deque<Asked> calls = new ArrayDeque<>(); // not answered
  private final Settings settings = new Settings(WhenDown.WAIT, Duration.ZERO, true, null, "");
  private final Store store =
      new Store(Asked.connection(calls::add), new Wire(), problem -> problem, () -> {}, time);
  private final SharedSource source = new SharedSource("api", null, settings, store, time);
  private final Limiter api =
      Limiter.builder(LIMIT).source(source).time(time).executor(Runnable::run).build();
  private int permits;

  @Test
  void aLateGrantIsUsedWhileItIsValid() {
    begin();
    ask();
    time.advance(USE.minusMillis(10)); // the clocks may differ by a thousandth
    grant(time.nanoTime() - USE.minusMillis(10).toNanos());
    assertEquals(1, permits);
    assertEquals(0, calls.size());
    assertIdle();
  }

  /** The server may have been busy for most of that time, and granted just now: none can say. */
  @Test
  void aLateGrantIsNotUsedOnceItMayBeOver() {
    begin();
    ask();
    time.advance(USE);
    grant(time.nanoTime() - USE.toNanos());
    assertEquals(0, permits);
    answerUntil(1);
    assertIdle();
  }

  @Test
  void aCallIsMadeAgainOnceItHasFailedAndNotBefore() {
    begin();
    ask();
    time.advance(Duration.ofSeconds(30));
    assertEquals(1, calls.size());
    calls.remove().completeExceptionally(new IllegalStateException("the connection was lost"));
    answerUntil(1);
    assertIdle();
  }

  /** From a late reply none can tell whether the store's clock was set forward. */
  @Test
  void aFirstReplyIsAskedForAgainIfItIsLate() {
    ask();
    time.advance(Store.LATE.plusNanos(1));
    calls.remove().complete(ReplyFields.of(LIMIT).at(time.nanoTime() / 1000).toReply());
    assertTrue(time.advanceToNext());
    assertFalse(calls.element().knowsLimit(0));
    answerUntil(1);
    assertIdle();
  }

  private void begin() {
    ask();
    answerUntil(1);
    permits = 0;
  }

  private void ask() {
    var unused =
        api.acquireAsync()
            .thenAccept(
                permit -> {
                  permits++;
                  permit.answered();
                });
  }

  private void answerUntil(int wanted) {
    for (int i = 0; permits < wanted; i++) {
      assertTrue(i < 20, "calls without end");
      if (calls.isEmpty()) {
        assertTrue(time.advanceToNext(), "a request waits for nothing");
      } else if (!calls.element().knowsLimit(0)) {
        calls.remove().complete(ReplyFields.of(LIMIT).at(time.nanoTime() / 1000).toReply());
      } else {
        grant(time.nanoTime());
      }
    }
  }

  private void grant(long carriedOut) {
    var reply = ReplyFields.of("").at(carriedOut / 1000);
    calls.remove().complete(reply.grant(1, USE.toNanos() / 1000).toReply());
  }

  private void assertIdle() {
    assertEquals(0, api.snapshot().waiting());
    assertEquals(0, api.snapshot().open());
  }
}
