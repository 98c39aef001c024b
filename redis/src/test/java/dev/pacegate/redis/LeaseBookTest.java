package dev.pacegate.redis;

import static java.util.Objects.requireNonNull;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.limit.Cost;
import dev.pacegate.limit.Limits;
import dev.pacegate.limit.Outcome;
import dev.pacegate.redis.Request.Demand;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The client's side of the protocol, with a store that answers when it is told to. */
class LeaseBookTest {

  private static final long MS = 1_000_000;

  private final StoreTwin store = new StoreTwin();
  private Terms terms = terms("peer(10/1s, unanswered=1s)");
  private final LeaseBook book = new LeaseBook(terms);
  private long now;

  LeaseBookTest() {
    store.wall = 1_790_000_000_000_000L;
  }

  @Test
  void aReplyThatIsHeldUpDoesNotKeepItFromAsking() {
    greet();
    pass(10_000 * MS);
    call(1, 1, 2 * terms.use() * 1000);
    assertTrue(call(1, 5 * MS, MS).demands().get(0).want() > 0);
  }

  @Test
  void afterAChangeToALimitOfStartsNoRequestStaysOpen() {
    greet();
    book.start(now, now, Cost.ONE);
    change("10/1s");
    pass(10_000 * MS);
    call(0, 0, MS); // it is told the limit first
    call(0, 0, MS);
    assertNull(book.dueAt(now, Cost.none()));
  }

  /** What was granted to the terms of before is not taken for units of the next ones. */
  @Test
  void aGrantDuringAChangeOfTheLimitIsLeft() {
    greet();
    Request request = requireNonNull(book.request(now, Cost.of(5)));
    Reply reply = store.acquire("a", request, terms, true);
    assertEquals(1, reply.grants().size());
    change("peer(10/1s, unanswered=1s) & concurrent(9, unanswered=1s)");
    book.replied(request, now, now, reply);
    pass(10_000 * MS);
    call(1, MS, MS); // it is told the limit first
    call(1, MS, MS);
    assertEquals(0, book.nanosUntil(now, Cost.ONE));
    assertNotEquals(0, book.nanosUntil(now, Cost.of(9)));
  }

  @Test
  void aRequestThatIsSentLateEnds() {
    greet();
    long startedAt = now;
    book.start(startedAt, now, Cost.ONE);
    pass(10 * MS);
    book.sent(startedAt, now, Cost.ONE);
    book.end(now, now, Cost.ONE, Outcome.ANSWERED);
    pass(10_000 * MS);
    call(0, 0, MS);
    assertNull(book.dueAt(now, Cost.none()));
  }

  @Test
  void aGrantAfterItRetiredIsGivenBackAtOnce() {
    greet();
    Request request = requireNonNull(book.request(now, Cost.of(5)));
    book.retire();
    pass(MS);
    Reply reply = store.acquire("a", request, terms, true);
    book.replied(request, now - MS, now, reply);
    call(0, MS, MS);
    assertEquals(List.of(10L), units(store.acquire("b", wants(10), terms, false)));
  }

  @Test
  void afterAWhileWithoutRequestsItAsksAtOnce() {
    greet();
    store.acquire("b", wants(9), terms, true);
    call(5, MS, MS);
    pass(10_000 * MS);
    assertNotNull(book.request(now, Cost.of(5)));
  }

  @Test
  void aLimitThatIsNotFollowedIsAskedForNowAndThenThoughRequestsWait() {
    greet();
    store.set("", terms, terms("peer(20/1s, unanswered=1s)"));
    pass(10_000 * MS);
    call(1, 0, 0);
    assertEquals(now + 500 * MS, book.dueAt(now, Cost.ONE));
  }

  private Request wants(long units) {
    String revision = Long.toString(requireNonNull(store.stored).law.revision());
    return new Request(1, List.of(new Demand(units, units, 0)), "", "", revision, List.of());
  }

  private static List<Long> units(Reply reply) {
    return reply.grants().stream().map(grant -> grant.units().get(0)).toList();
  }

  /** Makes the calls after which the book has units. */
  private void greet() {
    call(1, 1, MS);
    call(1, 1, MS);
    assertEquals(0, book.nanosUntil(now, Cost.ONE));
  }

  private Request call(long wanted, long there, long back) {
    Request request =
        requireNonNull(book.request(now, wanted == 0 ? Cost.none() : Cost.of(wanted)));
    long sent = now;
    pass(there);
    Reply reply = store.acquire("a", request, terms, true);
    pass(back);
    book.replied(request, sent, now, reply);
    return request;
  }

  private void pass(long nanos) {
    now += nanos;
    store.wall += nanos / 1000;
  }

  private void change(String limit) {
    Terms next = terms(limit);
    store.set("", terms, next);
    terms = next;
    book.change(terms, now);
  }

  private static Terms terms(String limit) {
    return Terms.of(Limits.parse(limit), Duration.ZERO);
  }
}
