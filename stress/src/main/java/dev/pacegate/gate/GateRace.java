package dev.pacegate.gate;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;

/** One at a time inside the gate, and each sees what the one before it wrote. */
public final class GateRace {

  private GateRace() {}

  /** Where a visitor leaves its marks: two plain fields that agree unless seen half way. */
  static class Room {
    final Gate gate = new Gate();
    int first;
    int second;

    /** Returns the number of this visit, 100 if it saw another one half way. */
    int visit() {
      if (first != second) {
        return 100;
      }
      first++;
      int number = first;
      second++;
      return number;
    }

    int enterAndLeave(int next) {
      gate.enter();
      int number = visit();
      gate.leave(next);
      return number;
    }

    int tryAndLeave(int next) {
      if (!gate.tryEnter()) {
        return -1;
      }
      int number = visit();
      gate.leave(next);
      return number;
    }
  }

  /** Two enter. */
  @JCStressTest
  @Outcome(
      id = {"1, 2, 2", "2, 1, 2"},
      expect = ACCEPTABLE,
      desc = "one after the other")
  @Outcome(expect = FORBIDDEN, desc = "together, or one did not see the other")
  @State
  public static class Enter extends Room {
    @Actor
    public void one(III_Result r) {
      r.r1 = enterAndLeave(Gate.FREE);
    }

    @Actor
    public void two(III_Result r) {
      r.r2 = enterAndLeave(Gate.SLOW);
    }

    @Arbiter
    public void after(III_Result r) {
      r.r3 = second;
    }
  }

  /** One enters, one tries. */
  @JCStressTest
  @Outcome(
      id = {"1, 2, 2", "2, 1, 2"},
      expect = ACCEPTABLE,
      desc = "one after the other")
  @Outcome(id = "1, -1, 1", expect = ACCEPTABLE, desc = "tried in vain")
  @Outcome(expect = FORBIDDEN, desc = "together, or one did not see the other")
  @State
  public static class EnterAndTry extends Room {
    @Actor
    public void one(III_Result r) {
      r.r1 = enterAndLeave(Gate.FREE);
    }

    @Actor
    public void two(III_Result r) {
      r.r2 = tryAndLeave(Gate.FREE);
    }

    @Arbiter
    public void after(III_Result r) {
      r.r3 = second;
    }
  }

  /** Two try. */
  @JCStressTest
  @Outcome(
      id = {"1, 2, 2", "2, 1, 2"},
      expect = ACCEPTABLE,
      desc = "one after the other")
  @Outcome(
      id = {"1, -1, 1", "-1, 1, 1"},
      expect = ACCEPTABLE,
      desc = "one tried in vain")
  @Outcome(expect = FORBIDDEN, desc = "together, or both in vain")
  @State
  public static class Try extends Room {
    @Actor
    public void one(III_Result r) {
      r.r1 = tryAndLeave(Gate.FREE);
    }

    @Actor
    public void two(III_Result r) {
      r.r2 = tryAndLeave(Gate.FREE);
    }

    @Arbiter
    public void after(III_Result r) {
      r.r3 = second;
    }
  }
}
