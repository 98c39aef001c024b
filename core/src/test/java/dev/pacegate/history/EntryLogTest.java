package dev.pacegate.history;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.limit.Cost;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** What a log keeps of many requests. */
class EntryLogTest {

  private static final long REACH = 1_000_000;

  private static Entry any(SplittableRandom random, long now) {
    Entry.Kind[] kinds = Entry.Kind.values();
    Entry.Kind kind = kinds[random.nextInt(kinds.length)];
    long start = now - random.nextLong(1000);
    return kind == Entry.Kind.SETTLED
        ? Entry.settled(start, now, Cost.of(5), Cost.of(2))
        : Entry.over(kind, start, now, Cost.ONE);
  }

  private static long released(EntryLog log) {
    return log.entries().stream()
        .filter(Entry::isRelease)
        .mapToLong(entry -> entry.cost().amount())
        .sum();
  }

  @Test
  void staysSmallAndForgetsNoRequestWhateverHappens() {
    var random = new SplittableRandom(5);
    var log = new EntryLog(List.of());
    long requests = 0;
    for (long now = 0; now < 30 * REACH; now += 1 + random.nextLong(200)) {
      Entry entry = any(random, now);
      requests += entry.isRelease() ? 1 : 0;
      log.add(entry, now, REACH);
      assertTrue(log.entries().size() <= EntryLog.MOST, () -> log.entries().size() + " entries");
    }
    assertEquals(requests, released(log));
  }

  @Test
  void forgetsTheStartOfOneRequestOnly() {
    var log = new EntryLog(List.of());
    for (long now = 0; now < 10; now++) {
      log.add(Entry.started(now, now, Cost.ONE), now, REACH);
    }
    log.forgetStart(new OpenRequest(4, Cost.ONE));
    log.forgetStart(new OpenRequest(100, Cost.ONE)); // it is not known
    assertEquals(9, released(log));
    assertEquals(0, log.entries().get(4).cost().amount());
  }
}
