package dev.pacegate.waiting;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.gate.Gate;
import java.util.ArrayList;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class GateTest {

  private final Gate gate = new Gate();
  private long inside; // plain: the gate alone makes it safe

  @Test
  void letsOneInAtATimeAndShowsItWhatTheLastOneWrote() {
    var visits = new AtomicLong();
    long until = System.nanoTime() + 500_000_000; // real time: the longer, the more they meet
    var crew = new ArrayList<Thread>();
    for (int t = 0; t < 4; t++) {
      boolean tries = t % 2 == 0;
      crew.add(
          Crew.start(
              "visitor " + t,
              () -> {
                while (System.nanoTime() - until < 0) {
                  visit(100, tries);
                  visits.addAndGet(100);
                }
              }));
    }
    crew.forEach(Crew::join);
    assertEquals(visits.get(), inside);
  }

  private void visit(int visits, boolean tries) {
    for (int i = 0; i < visits; i++) {
      boolean mayTry = tries && i % 2 == 0;
      if (!mayTry || !gate.tryEnter()) {
        gate.enter();
      }
      long seen = inside;
      Thread.onSpinWait(); // so that a second one inside has time to be seen
      inside = seen + 1;
      gate.leave(i % 3 == 0 ? Gate.SLOW : Gate.FREE);
    }
  }

  @Test
  void isTriedInVainWhileSomethingNeedsLookingAfter() {
    assertTrue(gate.tryEnter());
    assertFalse(gate.tryEnter());
    gate.leave(Gate.SLOW);
    assertFalse(gate.tryEnter());
    gate.enter();
    gate.leave(Gate.FREE);
    assertTrue(gate.tryEnter());
  }

  /** The holder is not scheduled for long: a thread that comes sleeps, and still gets in. */
  @Test
  void aVisitorSleepsWhileTheHolderIsAway() {
    gate.enter();
    Thread visitor = Crew.start("visitor", () -> visit(1, false));
    Crew.await("sleep", () -> visitor.getState() == Thread.State.TIMED_WAITING);
    assertEquals(0, inside);
    gate.leave(Gate.FREE);
    Crew.join(visitor);
    assertEquals(1, inside);
  }

  @Test
  void anInterruptNeitherLetsInNorKeepsOut() {
    gate.enter();
    var wasInterrupted = new boolean[1];
    Thread visitor =
        Crew.start(
            "visitor",
            () -> {
              Thread.currentThread().interrupt();
              visit(1, false);
              wasInterrupted[0] = Thread.currentThread().isInterrupted();
            });
    Crew.await("back-off", () -> visitor.getState() == Thread.State.RUNNABLE);
    assertEquals(0, inside);
    gate.leave(Gate.FREE);
    Crew.join(visitor);
    assertEquals(1, inside);
    assertTrue(wasInterrupted[0]);
  }

  @Test
  void aFieldWriteOpensItToo() {
    gate.enter();
    gate.word = Gate.SLOW;
    gate.enter();
    gate.leave(Gate.FREE);
    assertTrue(gate.tryEnter());
  }
}
