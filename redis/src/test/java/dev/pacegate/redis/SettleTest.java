package dev.pacegate.redis;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.limit.Cost;
import dev.pacegate.limit.Limits;
import dev.pacegate.limit.Outcome;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Costs that are corrected, in time and late, as the store counts them. */
class SettleTest {

  private static final long MS = 1_000_000;
  private static final long SECOND = 1000 * MS;
  private static final long STEP = 20 * MS;

  private final StoreTwin store = new StoreTwin();
  private final Terms terms =
      Terms.of(Limits.parse("peer(1000/10s of tokens, unanswered=1s)"), Duration.ZERO);
  private final LeaseBook one = new LeaseBook(terms);
  private final LeaseBook other = new LeaseBook(terms);
  private long now;
  private long startedAt; // of the request that was sent last

  SettleTest() {
    store.wall = 1_790_000_000_000_000L;
    call(one, Cost.none());
    call(other, Cost.none());
  }

  private static Cost tokens(long count) {
    return Cost.of("tokens", count);
  }

  @Test
  void anOverestimateIsForOthers() {
    send(one, 900);
    assertFalse(isGranted(other, 500, SECOND));
    one.settle(startedAt, now, tokens(900), tokens(100));
    end(one, 100);
    assertTrue(isGranted(other, 500, 4 * SECOND));
  }

  /** After its lease is over, but before its request is. */
  @Test
  void anOverestimateIsForOthersThoughItIsToldLate() {
    send(one, 900);
    pass(5 * SECOND);
    one.settle(startedAt, now, tokens(900), tokens(100));
    end(one, 100);
    assertTrue(isGranted(other, 500, 3 * SECOND));
    assertFalse(isGranted(one, 500, 2 * SECOND));
  }

  /** It is spent while the request is open, and as long as any other after its end. */
  @Test
  void anUnderestimateIsTakenFromOthersAtOnce() {
    send(one, 100);
    one.settle(startedAt, now, tokens(100), tokens(900));
    pass(SECOND);
    assertFalse(isGranted(other, 500, 9 * SECOND));
    end(one, 900);
    assertFalse(isGranted(other, 500, 9 * SECOND));
    assertTrue(isGranted(other, 500, 3 * SECOND));
  }

  @Test
  void anUnderestimateCountsThoughTheStoreHasForgottenTheRequest() {
    send(one, 100);
    store.forget();
    pass(SECOND); // both are told of the loss, and tell what is open
    one.settle(startedAt, now, tokens(100), tokens(900));
    pass(20 * SECOND);
    assertFalse(isGranted(other, 500, SECOND));
    end(one, 900);
    assertFalse(isGranted(other, 500, 9 * SECOND));
    assertTrue(isGranted(other, 500, 3 * SECOND));
  }

  private void send(LeaseBook book, long cost) {
    assertTrue(isGranted(book, cost, 2 * SECOND));
    startedAt = now;
    book.start(now, now, tokens(cost));
  }

  private void end(LeaseBook book, long cost) {
    book.end(startedAt, now, tokens(cost), Outcome.ANSWERED);
  }

  /** Lets a request wait; returns whether it may be sent within that time. */
  private boolean isGranted(LeaseBook book, long cost, long within) {
    pass(within, book, tokens(cost));
    return book.nanosUntil(now, tokens(cost)) == 0;
  }

  private void pass(long nanos) {
    pass(nanos, one, Cost.none());
  }

  /** Until that time has passed, or the request that waits may be sent. */
  private void pass(long nanos, LeaseBook waiting, Cost wanted) {
    boolean waits = !wanted.equals(Cost.none());
    for (long last = now + nanos; now < last; ) {
      if (waits && waiting.nanosUntil(now, wanted) == 0) {
        return;
      }
      now += STEP;
      store.wall += STEP / 1000;
      call(waiting, wanted);
      call(waiting == one ? other : one, Cost.none());
    }
  }

  private void call(LeaseBook book, Cost wanted) {
    Request request = book.request(now, wanted);
    if (request != null) {
      Reply reply = store.acquire(book == one ? "one" : "other", request, terms, true);
      book.replied(request, now, now, reply);
    }
  }
}
