package dev.pacegate.history;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.pacegate.limit.Cost;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Starts of open requests are forgotten when more is known of them, and no other starts. */
class ForgottenStartsTest {

  private static final long AT = 1_000;

  /** A log of requests of one instant that had been first in the queue for different times. */
  private static EntryLog log(int... costs) {
    var log = new EntryLog(List.of());
    for (int i = 0; i < costs.length; i++) {
      log.add(Entry.started(AT - i, AT, Cost.of(costs[i])), AT, 1_000_000);
      log.add(Entry.over(Entry.Kind.LATE, AT, AT, Cost.ONE), AT, 1_000_000);
    }
    return log;
  }

  private static List<OpenRequest> open(int... costs) {
    var open = new ArrayList<OpenRequest>();
    for (int cost : costs) {
      open.add(new OpenRequest(AT, Cost.of(cost)));
    }
    return open;
  }

  private static void assertLeft(EntryLog log, long calls, long amount) {
    Cost left =
        log.entries().stream()
            .filter(entry -> entry.kind() == Entry.Kind.STARTED)
            .map(Entry::cost)
            .reduce(Cost.none(), Cost::plus);
    assertEquals(calls, left.calls());
    assertEquals(amount, left.amount());
  }

  @Test
  void allOfOneInstantAreForgottenAtOnce() {
    EntryLog log = log(1, 1, 1);
    log.forgetStarts(open(1, 1));
    assertLeft(log, 1, 1);
  }

  @Test
  void allOfOneInstantAreForgottenOneByOne() {
    EntryLog log = log(1, 1, 1);
    open(1, 1).forEach(log::forgetStart);
    assertLeft(log, 1, 1);
  }

  @Test
  void eachIsForgottenWithItsOwnCost() {
    List<OpenRequest> open = open(5, 1, 3);
    for (int turns = 0; turns < 3; turns++) {
      EntryLog log = log(5, 1, 3, 7);
      log.forgetStarts(open);
      assertLeft(log, 1, 7);
      Collections.rotate(open, 1);
    }
  }

  @Test
  void aCostThatWasCorrectedSinceTakesNothingFromAnother() {
    EntryLog log = log(1, 1);
    log.forgetStarts(open(4));
    assertLeft(log, 1, 1);
  }

  @Test
  void otherInstantsAreKept() {
    EntryLog log = log(1);
    log.add(Entry.started(AT + 1, AT + 1, Cost.ONE), AT + 1, 1_000_000);
    log.forgetStarts(open(1, 1));
    assertLeft(log, 1, 1);
  }
}
