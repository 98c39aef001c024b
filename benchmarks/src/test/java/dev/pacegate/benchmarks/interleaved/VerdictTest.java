package dev.pacegate.benchmarks.interleaved;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class VerdictTest {

  @Test
  void twoAreLevelWhereTheirIntervalsTouch() {
    var one = new Interval(1.1, 1.2);
    assertEquals(Verdict.AHEAD, Verdict.between(one, new Interval(1.21, 1.3)));
    assertEquals(Verdict.BEHIND, Verdict.between(one, new Interval(1.0, 1.09)));
    assertEquals(Verdict.LEVEL, Verdict.between(one, new Interval(1.2, 1.3)));
    assertEquals(Verdict.LEVEL, Verdict.between(one, new Interval(1.0, 1.1)));
    assertEquals(Verdict.LEVEL, Verdict.between(one, new Interval(1.0, 1.3)));
    assertEquals(Verdict.LEVEL, Verdict.between(one, one));
  }

  @Test
  void aChangeIsOneOnlyIfTheIntervalLeavesOneOut() {
    assertEquals(Verdict.FASTER, Verdict.of(new Interval(0.9, 0.99)));
    assertEquals(Verdict.SLOWER, Verdict.of(new Interval(1.01, 1.1)));
    assertEquals(Verdict.LEVEL, Verdict.of(new Interval(0.9, 1)));
    assertEquals(Verdict.LEVEL, Verdict.of(new Interval(1, 1.1)));
    assertEquals(Verdict.LEVEL, Verdict.of(new Interval(0.9, 1.1)));
  }
}
