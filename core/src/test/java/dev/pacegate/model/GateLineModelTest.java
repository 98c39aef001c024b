package dev.pacegate.model;

import static dev.pacegate.model.Scenario.concurrent;
import static dev.pacegate.model.Scenario.peer;
import static dev.pacegate.model.Scenario.starts;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.model.Explorer.Verdict;
import dev.pacegate.model.Scenario.Option;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Explores every run of a few threads through gate, line, parking and clock.
 *
 * <p>A stress test does not notice a missing wake-up, because the next arrival heals it; here the
 * runs in which no other thread arrives are among the others. What is explored is {@link Protocol},
 * a model written apart from the limiter: it shows that the protocol is right, not that the limiter
 * follows it. What must hold is in {@link Property}; that it does not hold by accident is shown by
 * the faults in {@link Mutant}.
 */
@Tag("slow")
class GateLineModelTest {

  /** Three threads: each that waits may give up, at any moment the limiter may be paused. */
  static Stream<Scenario> threeThreads() {
    return limits()
        .map(GateLineModelTest::threeCallers)
        .map(three -> three.with(Option.INTERRUPT, Option.TIME_OUT, Option.PAUSE));
  }

  /** Four threads, which is all the queue has room for. */
  static Stream<Scenario> fourThreads() {
    return Stream.of(
        starts(2, 1).costs(1, 2, 1, 1).with(Option.INTERRUPT, Option.TIME_OUT, Option.PAUSE),
        concurrent(2).costs(1, 2, 1, 1).with(Option.INTERRUPT, Option.TIME_OUT, Option.PAUSE),
        starts(2, 2).costs(1, 2, 1, 1).with(Option.INTERRUPT, Option.TIME_OUT, Option.HEAL),
        starts(2, 2).costs(1, 2, 1, 1).with(Option.PAUSE),
        concurrent(2).costs(1, 2, 1, 1).with(Option.INTERRUPT, Option.TIME_OUT, Option.HEAL),
        concurrent(2).costs(1, 2, 1, 1).with(Option.PAUSE, Option.HEAL),
        peer(1, 2).threads(4).with(Option.INTERRUPT, Option.TIME_OUT),
        peer(2, 1).costs(1, 2, 1, 1).with(Option.PAUSE));
  }

  private static Stream<Scenario> limits() {
    return Stream.of(
        starts(1, 1), starts(2, 2), concurrent(1), concurrent(2), peer(1, 1), peer(2, 1));
  }

  private static Scenario threeCallers(Scenario limit) {
    return limit.limit() == 1 ? limit.threads(3) : limit.costs(1, 2, 1);
  }

  @ParameterizedTest
  @MethodSource("threeThreads")
  void forgetsNoThreadIfAnotherGivesUpDuringAPause(Scenario scenario) {
    assertHolds(scenario);
  }

  @ParameterizedTest
  @MethodSource("threeThreads")
  void sleepsAgainAfterParkReturnedForNothing(Scenario scenario) {
    assertHolds(scenario.with(Option.SPURIOUS));
  }

  @ParameterizedTest
  @MethodSource("threeThreads")
  void keepsTheOrderWhenACallTurnsOutWrong(Scenario scenario) {
    assertHolds(scenario.with(Option.EDGE));
  }

  @ParameterizedTest
  @MethodSource("threeThreads")
  void staysRightWhenEveryVisitAdvancesTheLine(Scenario scenario) {
    assertHolds(scenario.with(Option.HEAL));
  }

  @ParameterizedTest
  @MethodSource("limits")
  void survivesTokensLeftOverFromTheAcquireBefore(Scenario limit) {
    assertHolds(threeCallers(limit).acquires(2).with(Option.INTERRUPT, Option.TIME_OUT));
  }

  @ParameterizedTest
  @MethodSource("fourThreads")
  void servesFourThreads(Scenario scenario) {
    assertHolds(scenario);
  }

  @Test
  void bearsEverythingAtOnce() {
    Set<Option> all = EnumSet.allOf(Option.class);
    all.removeAll(Set.of(Option.FED, Option.REVOKE, Option.STUMBLE, Option.EXPIRE));
    assertHolds(concurrent(1).threads(3).with(all.toArray(Option[]::new)));
  }

  /** Threads that can all go, and call one another. */
  static Stream<Scenario> crowds() {
    return Stream.of(
        concurrent(3).threads(3).with(Option.ONE_CALL, Option.INTERRUPT, Option.TIME_OUT),
        concurrent(3).threads(4).with(Option.ONE_CALL),
        starts(3, 1).threads(3).with(Option.ONE_CALL, Option.INTERRUPT),
        starts(3, 1).threads(4).with(Option.ONE_CALL));
  }

  @ParameterizedTest
  @MethodSource("crowds")
  void aCrowdHandsOnWithoutAnAlarm(Scenario scenario) {
    assertHolds(scenario.with(Option.PAUSE));
  }

  @ParameterizedTest
  @MethodSource("crowds")
  void aCrowdOutlivesADeath(Scenario scenario) {
    assertHolds(scenario.with(Option.PAUSE, Option.DIE));
  }

  @ParameterizedTest
  @MethodSource("threeThreads")
  void outlivesADeath(Scenario scenario) {
    assertHolds(scenario.with(Option.DIE));
  }

  /** Permits that come as news, and may get lost on the way. */
  static Stream<Scenario> fed() {
    return Stream.of(Option.REVOKE, Option.STUMBLE, Option.EXPIRE)
        .flatMap(
            mishap ->
                Stream.of(
                        concurrent(1).threads(3),
                        concurrent(2).costs(2, 1),
                        concurrent(3).threads(3))
                    .map(scenario -> scenario.with(Option.FED, mishap)));
  }

  @ParameterizedTest
  @MethodSource("fed")
  void newsFromOutsideReachThoseWhoWait(Scenario scenario) {
    assertHolds(scenario);
    assertHolds(scenario.with(Option.INTERRUPT, Option.TIME_OUT, Option.ONE_CALL));
    assertHolds(scenario.acquires(2));
  }

  @ParameterizedTest
  @MethodSource("fed")
  void newsFromOutsideOutliveADeath(Scenario scenario) {
    assertHolds(scenario.with(Option.DIE));
  }

  @ParameterizedTest
  @EnumSource
  void findsTheFault(Mutant mutant) {
    assertTrue(mutant.scenario().costs().size() <= 3);
    assertHolds(mutant.scenario());
    Verdict verdict = explore(mutant.scenario(), Set.of(mutant));
    assertEquals(Optional.of(mutant.caughtBy()), verdict.broken(), verdict::report);
  }

  @Test
  void breaksEveryPropertyWithSomeFault() {
    Set<Property> broken = EnumSet.noneOf(Property.class);
    for (Mutant mutant : Mutant.values()) {
      broken.add(mutant.caughtBy());
    }
    assertEquals(EnumSet.allOf(Property.class), broken);
  }

  @Test
  void tellsAShortestWayToAFault() {
    Mutant mutant = Mutant.CLOSES_WITHOUT_ADVANCING;
    assertEquals(
        """
        WAKE_UP: B sleeps longer than the limit demands
          0                                  FREE line [] called 0 open 0 stamps [0, 0]
          1  A enters the gate               HELD line [] called 0 open 0 stamps [0, 0]
          2  A decides                       HELD line [] called 0 open 1 stamps [0, 0]
          3  A leaves the gate               FREE line [] called 0 open 1 stamps [0, 0]
          4  B enters the gate               HELD line [] called 0 open 1 stamps [0, 0]
          5  B decides                       HELD line [B] called 0 open 1 stamps [0, 0]
          6  B leaves the gate               SLOW line [B] called 0 open 1 stamps [0, 0]
          7  A enters the gate               HELD+SLOW line [B] called 0 open 1 stamps [0, 0]
          8  A decides                       HELD+SLOW line [B] called 0 open 0 stamps [0, 0]
          9  A leaves the gate               SLOW line [B] called 0 open 0 stamps [0, 0]
         10  B parks                         SLOW line [B] called 0 open 0 stamps [0, 0]
             B sleeps longer than the limit demands""",
        explore(mutant.scenario(), Set.of(mutant)).report());
  }

  private static void assertHolds(Scenario scenario) {
    Verdict verdict = explore(scenario, Set.of());
    assertEquals(Optional.empty(), verdict.broken(), verdict::report);
  }

  private static Verdict explore(Scenario scenario, Set<Mutant> mutants) {
    return new Explorer(new Protocol(scenario, mutants)).explore();
  }
}
