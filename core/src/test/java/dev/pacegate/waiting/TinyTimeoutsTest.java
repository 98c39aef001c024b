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
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import org.junit.jupiter.api.Test;

/** Tries so short that they are over before anybody could be woken must not starve for ever. */
class TinyTimeoutsTest {

  private static final int THREADS = 64;
  private static final int PERMITS = 32;
  private static final Duration TINY = Duration.of(1, ChronoUnit.MICROS);

  /** Counts tries, as a busy machine makes each take longer. */
  @Test
  void aStormOfThemTakesAllThatIsFreedWithinAMillionTries() throws InterruptedException {
    long tries = storm();
    assertTrue(tries < 1_000_000, "took " + tries + " tries");
  }

  /** Returns how many tries it takes. */
  private static long storm() throws InterruptedException {
    Limiter limiter = Limiter.of("concurrent(" + PERMITS + ")");
    var held = new ArrayList<Permit>();
    for (int i = 0; i < PERMITS; i++) {
      held.add(Crew.spend(limiter));
    }
    var taken = Collections.synchronizedList(new ArrayList<Permit>());
    var over = new AtomicBoolean();
    var tries = new LongAdder();
    var end = new AtomicLong(); // the tries so far, as the last permit was taken
    var crew = new ArrayList<Thread>();
    for (int t = 0; t < THREADS; t++) {
      crew.add(Crew.start("storm " + t, () -> takeOne(limiter, over, tries, taken, end)));
    }
    TimeUnit.MILLISECONDS.sleep(100); // real time: the storm is what is tested, let it rage

    held.forEach(Permit::answered);
    long begin = tries.sum();
    Crew.await("all taken", () -> end.get() > 0);

    over.set(true);
    crew.forEach(Crew::join);
    assertEquals(PERMITS, taken.size());
    assertEquals(PERMITS, limiter.snapshot().open());
    assertEquals(0, limiter.snapshot().waiting());
    return end.get() - begin;
  }

  private static void takeOne(
      Limiter limiter, AtomicBoolean over, LongAdder tries, List<Permit> taken, AtomicLong end) {
    try {
      while (!over.get()) {
        tries.increment();
        var permit = limiter.tryAcquire(1, TINY);
        if (permit.isPresent()) {
          taken.add(permit.get());
          if (taken.size() == PERMITS) {
            end.compareAndSet(0, tries.sum());
          }
          return;
        }
      }
    } catch (InterruptedException unexpected) {
      throw new AssertionError(unexpected);
    }
  }
}
