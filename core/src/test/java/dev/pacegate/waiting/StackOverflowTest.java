package dev.pacegate.waiting;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.Limiter;
import dev.pacegate.Permit;
import dev.pacegate.engine.Unchecked;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntPredicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * A limiter may be asked close to the end of a stack. It may then fail anywhere, also inside the
 * gate. What must hold afterwards: the gate is open, no waiter blocks the queue, and if the count
 * is off, then to the safe side.
 *
 * <p>A thread goes down until its stack ends. On the way up each frame asks, with a little more
 * room than the one before, until asking succeeds.
 */
@Tag("slow")
@Unchecked("An error inside the gate may leave counts off, to the safe side.")
class StackOverflowTest {

  private static final int DESCENTS = 30;
  private static final int PLENTY = 20_000;
  private static final Duration TINY = Duration.ofNanos(1_000);
  private static final long SMALL_STACK = 192 * 1024;

  private final long seed = Long.getLong("pacegate.seed", System.nanoTime());
  private final AtomicInteger overflows = new AtomicInteger();

  /** The work of one frame; close to the end of the stack. */
  private interface Asking {
    void ask() throws InterruptedException;
  }

  /** A class whose initialiser runs out of stack is unusable for the tests that follow. */
  @BeforeAll
  static void loadWhatLogs() {
    System.getLogger("dev.pacegate").log(Level.INFO, "stacks will overflow", new Error());
  }

  @AfterEach
  void overflowsWereProvoked() {
    assertTrue(overflows.get() > DESCENTS, () -> "only " + overflows + " overflows");
  }

  @Test
  void tryingLeavesTheGateOpen() {
    Limiter limiter = Limiter.of("1000000/1h");
    provoke(() -> assertTrue(limiter.tryAcquire().isPresent()));
    assertWorks(limiter);
  }

  @Test
  void endingLeavesTheGateOpen() {
    Limiter limiter = Limiter.of("concurrent(" + PLENTY + ")");
    var held = new ArrayDeque<Permit>();
    for (int i = 0; i < DESCENTS; i++) {
      held.add(Crew.spend(limiter));
    }
    provoke(
        () -> {
          Permit permit = held.peek();
          if (permit != null) {
            permit.answered();
            held.poll();
          }
        });
    assertWorks(limiter);
    assertNoneTwice(limiter);
  }

  @Test
  void acquiringAndEndingLeavesTheGateOpen() {
    Limiter limiter = Limiter.of("concurrent(" + PLENTY + ") & 1000000/1h");
    provoke(() -> limiter.acquire().answered());
    assertWorks(limiter);
    assertNoneTwice(limiter);
  }

  /** A pause makes everybody go the slow way: into the queue, and out of it. */
  @Test
  void joiningAndLeavingTheLineLeavesItInOrder() {
    Limiter limiter = Limiter.of("bucket(1000000/1s, burst=1000)");
    limiter.pause();
    provoke(() -> assertTrue(limiter.tryAcquire(1, TINY).isEmpty()));
    limiter.resume();
    assertWorks(limiter);
  }

  @Test
  void waitingForOneAnotherLeavesTheLineInOrder() {
    Limiter limiter = Limiter.of("bucket(1000000/1s, burst=2)");
    var over = new AtomicBoolean();
    var others = new ArrayList<Thread>();
    for (int i = 0; i < 2; i++) {
      others.add(Crew.start("other", () -> repeatedly(limiter, times -> !over.get())));
    }
    try {
      provoke(() -> limiter.acquire().answered());
    } finally {
      over.set(true);
    }
    others.forEach(Crew::join);
    assertWorks(limiter);
  }

  @Test
  void futuresLeaveTheLineInOrder() {
    Limiter limiter = Limiter.of("bucket(1000000/1s, burst=2)");
    provoke(() -> assertTrue(limiter.acquireAsync().join().waited().toDays() < 1));
    assertWorks(limiter);
  }

  private static void repeatedly(Limiter limiter, IntPredicate goesOn) {
    try {
      for (int i = 0; goesOn.test(i); i++) {
        limiter.acquire().answered();
      }
    } catch (InterruptedException unexpected) {
      throw new AssertionError(unexpected);
    }
  }

  // ---- afterwards

  private void assertWorks(Limiter limiter) {
    Thread.State[] state = new Thread.State[1];
    Thread asking =
        Crew.start(
            "afterwards",
            () -> {
              repeatedly(limiter, times -> times < 100);
              state[0] = Thread.State.TERMINATED;
            });
    Crew.join(asking);
    assertEquals(Thread.State.TERMINATED, state[0], () -> "seed " + seed);
    assertEquals(0, limiter.snapshot().waiting(), () -> "seed " + seed);
  }

  /** None may have come back twice; some have got lost with the frame that had them. */
  private void assertNoneTwice(Limiter limiter) {
    int free = 0;
    while (limiter.tryAcquire().isPresent()) {
      free++;
    }
    int all = free;
    assertTrue(all <= PLENTY, () -> all + " of " + PLENTY + " were free, seed " + seed);
  }

  // ---- near the end of the stack

  private void provoke(Asking asking) {
    try {
      asking.ask(); // a class that fails to initialise for want of stack stays broken for ever
    } catch (InterruptedException unexpected) {
      throw new AssertionError(unexpected);
    }
    var random = new Random(seed);
    for (int i = 0; i < DESCENTS; i++) {
      var descent = new Descent(asking, random.nextInt());
      var thread =
          new Thread(null, descent, "descent " + i, SMALL_STACK + random.nextInt(64) * 256L);
      thread.setDaemon(true);
      thread.start();
      Crew.join(thread);
      overflows.addAndGet(descent.overflows);
    }
  }

  private static final class Descent implements Runnable {
    private final Asking asking;
    private final int shape;
    private boolean done;
    private int overflows;

    Descent(Asking asking, int shape) {
      this.asking = asking;
      this.shape = shape;
    }

    @Override
    public void run() {
      down(0);
    }

    private void down(int depth) {
      try {
        if ((shape >>> (depth & 31) & 1) == 0) {
          down(depth + 1);
        } else {
          downByAnotherStep(depth + 1, depth, depth, depth);
        }
      } catch (StackOverflowError end) {
        ask();
      }
    }

    /** Another size of frame, so that the end is met at any distance. */
    private void downByAnotherStep(int depth, long a, long b, long c) {
      try {
        down(depth + (int) (a - b) / 2 + (int) (b - c) / 2);
      } catch (StackOverflowError end) {
        ask();
      }
    }

    private void ask() {
      if (done) {
        return;
      }
      overflows++;
      try {
        asking.ask();
        done = true;
      } catch (InterruptedException unexpected) {
        throw new AssertionError(unexpected);
      }
    }
  }
}
