package dev.pacegate.keys;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.KeyedLimiter;
import dev.pacegate.Limiter;
import dev.pacegate.Permit;
import dev.pacegate.Share;
import dev.pacegate.audit.Audit;
import dev.pacegate.limit.Limits;
import dev.pacegate.time.ManualTime;
import java.time.Duration;
import java.util.ArrayList;
import org.junit.jupiter.api.Test;

/** A request of a key is charged once to its key and once to all, whatever lane it stands in. */
class KeyChargeTest {

  private final ManualTime time = ManualTime.manual();

  private Limiter all(String limit) {
    return Limiter.builder(limit)
        .lane("gold", Share.weight(1).reserving(50))
        .lane("bronze", Share.weight(1))
        .time(time)
        .executor(Runnable::run)
        .stamped(true)
        .build();
  }

  private static int takeAll(Limiter limiter) {
    int taken = 0;
    while (limiter.tryAcquire().isPresent()) {
      taken++;
    }
    return taken;
  }

  @Test
  void inALaneWithAReservedShare() {
    Limiter all = all("10/1m");
    KeyedLimiter<String> gold = KeyedLimiter.builder("3/1m").within(all.lane("gold")).build();
    KeyedLimiter<String> bronze = KeyedLimiter.builder("100/1m").within(all.lane("bronze")).build();
    assertEquals(3, takeAll(gold.limiter("a")));
    assertEquals(3, takeAll(gold.limiter("b")));
    assertEquals(4, takeAll(bronze.limiter("c")), "ten less six");
    assertEquals(0, takeAll(gold.limiter("d")));
    assertEquals(10, all.snapshot().granted());
    assertEquals(10, all.snapshot().most().get(0).count());
  }

  @Test
  void theCommonPartIsLeftToOthersAndTheReservedToTheLane() {
    Limiter all = all("10/1m");
    KeyedLimiter<String> bronze = KeyedLimiter.builder("100/1m").within(all.lane("bronze")).build();
    assertEquals(5, takeAll(bronze.limiter("c")), "half is reserved");
    KeyedLimiter<String> gold = KeyedLimiter.builder("3/1m").within(all.lane("gold")).build();
    assertEquals(3, takeAll(gold.limiter("a")));
    assertEquals(2, takeAll(gold.limiter("b")));
  }

  @Test
  void overManyIntervalsAllIsKeptAndUsedUp() {
    Limiter all = all("10/1m");
    KeyedLimiter<Integer> gold = KeyedLimiter.builder("3/1m").within(all.lane("gold")).build();
    var audit = Audit.of(Limits.parse("10/1m"));
    var granted = new ArrayList<Permit>();
    for (int i = 0; i < 300; i++) {
      var unused = gold.acquireAsync(i % 7).thenAccept(granted::add);
    }
    time.advance(Duration.ofMinutes(10));
    assertEquals(110, granted.size(), "ten at once, and ten a minute");
    granted.forEach(permit -> audit.add(permit.releasedAt()));
    assertTrue(audit.report().kept(), () -> audit.report().text());
  }
}
