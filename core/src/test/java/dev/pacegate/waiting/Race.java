package dev.pacegate.waiting;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.IntPredicate;

/** Eight threads that do the same at once, over and over; a failure of one is that of the test. */
public final class Race {

  private static final int THREADS = 8;

  private Race() {}

  /** Something a thread does over and over. */
  public interface Turn {

    /** Does it once. */
    void take(ThreadLocalRandom random) throws Exception;
  }

  /** Each thread takes so many turns. */
  public static void ofTurns(int turns, Turn turn) {
    run(done -> done < turns, turn);
  }

  /** Each thread gets as far as it does in that time. */
  public static void lasting(Duration span, Turn turn) {
    long began = System.nanoTime();
    run(done -> System.nanoTime() - began < span.toNanos(), turn);
  }

  private static void run(IntPredicate goesOn, Turn turn) {
    var failures = new ConcurrentLinkedQueue<Throwable>();
    var threads = new ArrayList<Thread>();
    for (int i = 0; i < THREADS; i++) {
      threads.add(
          Crew.start(
              "racer " + i,
              () -> {
                try {
                  for (int t = 0; goesOn.test(t); t++) {
                    turn.take(ThreadLocalRandom.current());
                  }
                } catch (Throwable failure) {
                  failures.add(failure);
                }
              }));
    }
    threads.forEach(Crew::join);
    assertEquals(List.of(), List.copyOf(failures));
  }
}
