package dev.pacegate.redis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.limit.Limits;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Calls of the store in an order that matters. The scripts do what the twin does. */
class ProtocolTest {

  private static final long MS = 1000;

  private final StoreTwin store = new StoreTwin();
  private Terms terms = terms("peer(10/1s, margin=0s, unanswered=1s)");
  private boolean fresh = true;

  ProtocolTest() {
    store.wall = 1_790_000_000_000_000L;
  }

  @Test
  void aRequestThatIsRepeatedAfterItsFirstLeaseIsOverFindsTheOther() {
    Reply reply = twoLeases("a");
    store.wall = reply.grants().get(0).until() + terms.unanswered() + terms.interval();
    Reply again = call("a", 1, 7, 1);
    assertEquals(List.of(reply.grants().get(1)), again.grants());
    assertTrue(store.hasAllUnits());
  }

  @Test
  void aRequestThatArrivesLateLosesNoUnits() {
    Reply reply = twoLeases("a");
    store.wall = reply.grants().get(1).from() + 10 * MS;
    call("a", 2, 0, 0, ended("1.0", 1));
    store.wall += 50 * MS;
    call("a", 3, 0, 0, ended("1.0", 0));
    store.wall += 900 * MS;
    assertEquals(2, call("a", 1, 7, 1).grants().size());
    assertTrue(store.hasAllUnits());
  }

  /** Returns a reply to request 1 that grants 4 units, and 3 that are free 50 ms later. */
  private Reply twoLeases(String client) {
    call("b", 1, 7, 7);
    store.wall += 100 * MS;
    call("b", 2, 0, 0, ended("1.0", 3));
    store.wall += 50 * MS;
    call("b", 3, 0, 0, ended("1.0", 0));
    call("c", 1, 3, 3);
    store.wall += 800 * MS;
    Reply reply = call(client, 1, 7, 1);
    assertEquals(List.of(4L, 3L), reply.grants().stream().map(Reply.Grant::units).toList());
    return reply;
  }

  private Report ended(String lease, long left) {
    return new Report(lease, left, Report.Kind.ENDED, store.wall);
  }

  private Reply call(String client, long number, long want, long least, Report... reports) {
    var request = new Request(number, want, least, 0, "", "", "", List.of(reports));
    return store.acquire(client, request, terms, fresh);
  }

  private static Terms terms(String limit) {
    return Terms.of(Limits.parse(limit), Duration.ZERO);
  }
}
