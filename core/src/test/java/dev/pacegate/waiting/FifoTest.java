package dev.pacegate.waiting;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.Limiter;
import dev.pacegate.Permit;
import dev.pacegate.time.ManualTime;
import dev.pacegate.waiting.Crew.Kind;
import dev.pacegate.waiting.Crew.Place;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Those who wait go in the order in which they came. */
class FifoTest {

  private static final int CROWD = 1_000;

  @Test
  void aThousandThreadsGoInTheOrderInWhichTheyCame() {
    Limiter limiter = Limiter.of("concurrent(1)");
    Permit held = Crew.spend(limiter);
    var order = Collections.synchronizedList(new ArrayList<Integer>());
    var crew = new ArrayList<Thread>();
    for (int i = 0; i < CROWD; i++) {
      int number = i;
      crew.add(Crew.start("number " + i, () -> pass(limiter, number, order)));
      Crew.awaitWaiting(limiter, i + 1);
    }
    held.answered();
    crew.forEach(Crew::join);
    assertEquals(IntStream.range(0, CROWD).boxed().toList(), order);
  }

  private static void pass(Limiter limiter, int number, List<Integer> order) {
    try (Permit permit = limiter.acquire()) {
      order.add(number);
      permit.answered();
    } catch (InterruptedException unexpected) {
      throw new AssertionError(unexpected);
    }
  }

  @Test
  void threadsAndFuturesStandInOneLine() {
    var time = ManualTime.manual();
    Limiter limiter = Limiter.builder("spacing(1ms)").time(time).build();
    Crew.spend(limiter);
    var crowd = new ArrayList<Place>();
    for (int i = 0; i < 100; i++) {
      crowd.add((i % 3 == 0 ? Kind.FUTURE : Kind.THREAD).ask(limiter, 1));
      Crew.awaitWaiting(limiter, i + 1);
    }
    for (int i = 0; i < 100; i++) {
      time.advance(Duration.ofMillis(1));
      assertEquals((i + 1) * 1_000_000L, crowd.get(i).permit().releasedAt());
    }
  }

  @Test
  void aTryNeverOvertakesWhoWaitsForMoreThanIsThere() {
    Limiter limiter = Limiter.builder("3/1s").time(ManualTime.manual()).build();
    Crew.spend(limiter);
    Place large = Kind.THREAD.ask(limiter, 3);
    Crew.awaitWaiting(limiter, 1);
    for (int i = 0; i < 100; i++) {
      assertTrue(limiter.tryAcquire().isEmpty());
    }
    large.giveUp();
    large.failure();
    assertTrue(limiter.tryAcquire().isPresent());
  }
}
