package dev.pacegate.waiting;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.Limiter;
import dev.pacegate.Permit;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;
import org.junit.jupiter.api.Test;

/** Tries so short that they are over before anybody could be woken must not starve for ever. */
class TinyTimeoutsTest {

  private static final int THREADS = 64;
  private static final Duration TINY = Duration.of(1, ChronoUnit.MICROS);

  /** Counts tries, as a busy machine makes each take longer. */
  @Test
  void aStormOfThemTakesAllThatIsFreedWithinAMillionTries() throws InterruptedException {
    long tries = storm();
    assertTrue(tries < 1_000_000, "took " + tries + " tries");
  }

  /** Returns how many tries it takes. */
  private static long storm() throws InterruptedException {
    int permits = 32;
    Limiter limiter = Limiter.of("concurrent(" + permits + ")");
    var held = new ArrayList<Permit>();
    for (int i = 0; i < permits; i++) {
      held.add(Crew.spend(limiter));
    }
    var taken = Collections.synchronizedList(new ArrayList<Permit>());
    var over = new AtomicBoolean();
    var tries = new LongAdder();
    var crew = new ArrayList<Thread>();
    for (int t = 0; t < THREADS; t++) {
      crew.add(Crew.start("storm " + t, () -> takeOne(limiter, over, tries, taken)));
    }
    TimeUnit.MILLISECONDS.sleep(100); // real time: the storm is what is tested, let it rage

    long before = tries.sum();
    held.forEach(Permit::answered);
    Crew.await("all taken", () -> taken.size() == permits);
    long took = tries.sum() - before;

    over.set(true);
    crew.forEach(Crew::join);
    assertEquals(permits, taken.size());
    assertEquals(permits, limiter.snapshot().open());
    assertEquals(0, limiter.snapshot().waiting());
    return took;
  }

  private static void takeOne(
      Limiter limiter, AtomicBoolean over, LongAdder tries, List<Permit> taken) {
    try {
      while (!over.get()) {
        tries.increment();
        var permit = limiter.tryAcquire(1, TINY);
        if (permit.isPresent()) {
          taken.add(permit.get());
          return;
        }
      }
    } catch (InterruptedException unexpected) {
      throw new AssertionError(unexpected);
    }
  }
}
