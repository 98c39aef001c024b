package dev.pacegate.waiting;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.CostTooLargeException;
import dev.pacegate.Limiter;
import dev.pacegate.Permit;
import dev.pacegate.Share;
import dev.pacegate.limit.Cost;
import dev.pacegate.limit.Limits;
import dev.pacegate.time.ManualTime;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Lanes beside each other: in proportion, in turn, and with what is reserved for each. */
class LanesTest {

  private static final Duration SECOND = Duration.ofSeconds(1);

  private final ManualTime time = ManualTime.manual();
  private final List<String> released = new ArrayList<>();

  private Limiter.Builder limiter(String limit) {
    return Limiter.builder(limit).time(time).executor(Runnable::run);
  }

  private List<CompletableFuture<Permit>> ask(Limiter lane, String name, int times, long cost) {
    var places = new ArrayList<CompletableFuture<Permit>>();
    for (int i = 0; i < times; i++) {
      String who = name + i;
      CompletableFuture<Permit> place = lane.acquireAsync(cost);
      var unused = place.thenRun(() -> released.add(who));
      places.add(place);
    }
    return places;
  }

  private int releasedOf(String name) {
    return (int) released.stream().filter(who -> who.startsWith(name)).count();
  }

  @Test
  void areServedInProportionToTheirWeights() {
    Limiter limiter = limiter("4/1s").lane("a", Share.weight(3)).lane("b", Share.weight(1)).build();
    ask(limiter.lane("a"), "a", 300, 1);
    ask(limiter.lane("b"), "b", 300, 1);
    for (int second = 0; second < 50; second++) {
      time.advance(SECOND);
    }
    assertEquals(204, released.size());
    assertEquals(153, releasedOf("a"), 2);
  }

  @Test
  void proportionsAreOfCostNotOfCalls() {
    Limiter limiter =
        limiter("bucket(10/1s, burst=10)")
            .lane("dear", Share.weight(1))
            .lane("cheap", Share.weight(1))
            .build();
    ask(limiter.lane("dear"), "dear", 100, 5);
    ask(limiter.lane("cheap"), "cheap", 300, 1);
    for (int second = 0; second < 20; second++) {
      time.advance(SECOND);
    }
    assertEquals(21, releasedOf("dear"), 1);
    assertEquals(105, releasedOf("cheap"), 5);
  }

  @Test
  void withinALaneTheOrderIsThatOfComing() {
    Limiter limiter = limiter("1/1s").lane("a", Share.weight(2)).build();
    ask(limiter.lane("a"), "a", 5, 1);
    ask(limiter, "other", 3, 1);
    for (int second = 0; second < 9; second++) {
      time.advance(SECOND);
    }
    assertEquals(
        List.of("a0", "a1", "a2", "a3", "a4"),
        released.stream().filter(who -> who.startsWith("a")).toList());
    assertEquals(
        List.of("other0", "other1", "other2"),
        released.stream().filter(who -> who.startsWith("o")).toList());
  }

  @Test
  void aLaneThatComesBackHasSavedUpNothing() {
    Limiter limiter = limiter("1/1s").lane("a", Share.weight(1)).lane("b", Share.weight(1)).build();
    ask(limiter.lane("a"), "a", 100, 1);
    for (int second = 0; second < 20; second++) {
      time.advance(SECOND); // no request comes to b's lane all that time
    }
    released.clear();
    ask(limiter.lane("b"), "b", 100, 1);
    for (int second = 0; second < 10; second++) {
      time.advance(SECOND);
    }
    assertEquals(5, releasedOf("a"), 1);
    assertEquals(5, releasedOf("b"), 1);
  }

  @Test
  void aWaiterThatLeavesAfterBeingCalledGivesTheTurnBack() {
    var calls = new ArrayList<Runnable>();
    Limiter limiter =
        Limiter.builder("1/1s")
            .time(time)
            .executor(calls::add) // so that those who are called do not come at once
            .lane("a", Share.weight(1))
            .lane("b", Share.weight(1))
            .build();
    Crew.spend(limiter);
    List<CompletableFuture<Permit>> a = ask(limiter.lane("a"), "a", 2, 1);
    time.advanceNanos(1);
    List<CompletableFuture<Permit>> b = ask(limiter.lane("b"), "b", 1, 1);
    time.advance(SECOND);
    assertTrue(a.get(0).cancel(true), "called, and yet it has not come");
    while (!calls.isEmpty()) {
      calls.remove(0).run();
    }
    assertTrue(a.get(1).isDone(), "its lane has had no turn");
    assertFalse(b.get(0).isDone());
    time.advance(SECOND);
    while (!calls.isEmpty()) {
      calls.remove(0).run();
    }
    assertTrue(b.get(0).isDone());
    assertEquals(0, limiter.snapshot().waiting());
  }

  @Test
  void aReservedShareIsThereHoweverMuchTheOthersWant() {
    Limiter limiter =
        limiter("10/1m")
            .lane("interactive", Share.weight(1).reserving(20))
            .lane("batch", Share.weight(100))
            .build();
    ask(limiter.lane("batch"), "batch", 50, 1);
    assertEquals(8, releasedOf("batch"));
    Limiter interactive = limiter.lane("interactive");
    assertTrue(interactive.tryAcquire().isPresent(), "past those who wait in another lane");
    assertTrue(interactive.tryAcquire().isPresent());
    assertFalse(interactive.tryAcquire().isPresent());
    assertFalse(limiter.tryAcquire().isPresent());
    time.advance(Duration.ofMinutes(1));
    assertEquals(16, releasedOf("batch"));
    assertTrue(interactive.tryAcquire(2).isPresent());
  }

  @Test
  void beyondItsReservedShareALaneTakesPartInWhatIsCommon() {
    Limiter limiter = limiter("10/1m").lane("interactive", Share.weight(1).reserving(20)).build();
    ask(limiter.lane("interactive"), "interactive", 12, 1);
    assertEquals(10, released.size());
    time.advance(Duration.ofMinutes(1));
    assertEquals(12, released.size());
  }

  @Test
  void reservedAndCommonPermitsAddUpToTheLimit() {
    Limiter limiter =
        limiter("10/1m") // 15 percent are one permit, and nine are common
            .lane("a", Share.weight(1).reserving(15))
            .build();
    ask(limiter, "common", 20, 1);
    ask(limiter.lane("a"), "a", 20, 1);
    assertEquals(9, releasedOf("common"));
    assertEquals(1, releasedOf("a"));
  }

  @Test
  void aPermitGoesBackToWhereItWasDrawnFrom() {
    Limiter limiter = limiter("concurrent(4)").lane("a", Share.weight(1).reserving(25)).build();
    Limiter a = limiter.lane("a");
    Permit reserved = a.tryAcquire().orElseThrow();
    List<Permit> common = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      common.add(a.tryAcquire().orElseThrow());
    }
    assertFalse(limiter.tryAcquire().isPresent());
    reserved.answered();
    assertFalse(limiter.tryAcquire().isPresent(), "what is reserved is for a alone");
    common.get(0).answered();
    assertTrue(limiter.tryAcquire().isPresent());
    assertTrue(a.tryAcquire().isPresent());
  }

  @Test
  void anEndWakesWhoWaitsInTheLaneThatReserves() {
    Limiter limiter = limiter("concurrent(2)").lane("a", Share.weight(1).reserving(50)).build();
    Permit reserved = limiter.lane("a").tryAcquire().orElseThrow();
    Permit common = limiter.tryAcquire().orElseThrow();
    ask(limiter, "common", 1, 1);
    ask(limiter.lane("a"), "a", 1, 1);
    reserved.answered();
    assertEquals(List.of("a0"), released);
    common.answered();
    assertEquals(List.of("a0", "common0"), released);
  }

  @Test
  void aChangedLimitChangesTheShares() {
    Limiter limiter = limiter("10/1m").lane("a", Share.weight(1).reserving(20)).build();
    ask(limiter, "common", 30, 1);
    assertEquals(8, released.size());
    limiter.setLimit("20/1m");
    assertEquals(16, released.size());
    assertTrue(limiter.lane("a").tryAcquire(4).isPresent());
    assertFalse(limiter.lane("a").tryAcquire().isPresent());
    assertThrows(IllegalArgumentException.class, () -> limiter.setLimit("2/1m"));
    assertEquals(Limits.parse("20/1m"), limiter.limit());
  }

  @Test
  void aLargeRequestIsNotStarvedByTheSmallOnesOfOtherLanes() {
    Limiter limiter =
        limiter("bucket(10/1s, burst=10)")
            .lane("large", Share.weight(1))
            .lane("small", Share.weight(1))
            .build();
    assertTrue(limiter.tryAcquire(10).isPresent());
    ask(limiter.lane("small"), "small", 5, 1);
    ask(limiter.lane("large"), "large", 1, 10);
    ask(limiter.lane("small"), "small", 100, 1);
    time.advance(Duration.ofSeconds(2));
    assertEquals(1, releasedOf("large"));
  }

  @Test
  void norByThoseWhoDrawFromWhatIsCommon() {
    Limiter limiter =
        limiter("bucket(20/1s, burst=20)")
            .lane("reserving", Share.weight(1).reserving(50))
            .lane("large", Share.weight(1))
            .lane("small", Share.weight(1))
            .build();
    assertTrue(limiter.tryAcquire(10).isPresent());
    ask(limiter.lane("small"), "small", 5, 1);
    ask(limiter.lane("large"), "large", 1, 10);
    ask(limiter.lane("small"), "small", 100, 1);
    time.advance(Duration.ofSeconds(2));
    assertEquals(1, releasedOf("large"));
    assertTrue(limiter.lane("reserving").tryAcquire(10).isPresent());
  }

  @Test
  void aCostAboveOneOfItsPoolsIsRefused() {
    Limiter limiter = limiter("10/1m").lane("a", Share.weight(1).reserving(20)).build();
    assertThrows(CostTooLargeException.class, () -> limiter.tryAcquire(9));
    assertThrows(CostTooLargeException.class, () -> limiter.lane("a").tryAcquire(9));
    assertTrue(limiter.tryAcquire(8).isPresent());
  }

  @Test
  void oneWhoTriesInAnotherLaneTakesNoTurnFromThoseWhoWait() {
    Limiter limiter = limiter("2/1s").lane("a", Share.weight(1)).lane("b", Share.weight(1)).build();
    ask(limiter.lane("a"), "a", 10, 1);
    assertEquals(2, released.size());
    for (int i = 0; i < 100; i++) {
      assertFalse(limiter.lane("b").tryAcquire().isPresent());
    }
    time.advance(SECOND);
    assertEquals(4, released.size());
  }

  @Test
  void shadowModeLetsThroughWhatWaitsInEveryLane() {
    Limiter limiter = limiter("1/1h").lane("a", Share.weight(1)).build();
    ask(limiter, "default", 5, 1);
    ask(limiter.lane("a"), "a", 5, 1);
    limiter.dryRun(true);
    assertEquals(10, released.size());
  }

  @Test
  void closingTurnsAwayWhoWaitsInEveryLane() {
    Limiter limiter = limiter("1/1h").lane("a", Share.weight(1)).build();
    List<CompletableFuture<Permit>> here = ask(limiter, "default", 3, 1);
    List<CompletableFuture<Permit>> there = ask(limiter.lane("a"), "a", 3, 1);
    limiter.lane("a").close();
    assertTrue(here.get(2).isCompletedExceptionally());
    assertTrue(there.get(2).isCompletedExceptionally());
    assertEquals(0, limiter.snapshot().waiting());
  }

  @Test
  void aPauseHoldsUpWhatIsReserved() {
    Limiter limiter = limiter("10/1m").lane("a", Share.weight(1).reserving(20)).build();
    limiter.pauseFor(SECOND);
    ask(limiter.lane("a"), "a", 1, 1);
    assertEquals(List.of(), released);
    assertEquals(SECOND, limiter.lane("a").estimateWait(1));
    time.advance(SECOND);
    assertEquals(List.of("a0"), released);
  }

  @Test
  void theFirstLaneIsTheDefaultOneAndMayBeGivenAnotherShare() {
    Limiter limiter =
        limiter("4/1s").lane("a", Share.weight(1)).lane("default", Share.weight(3)).build();
    ask(limiter.lane("a"), "a", 100, 1);
    ask(limiter, "default", 100, 1);
    for (int second = 0; second < 20; second++) {
      time.advance(SECOND);
    }
    assertEquals(60, releasedOf("default"), 2);
  }

  @Test
  void unknownLanesAndImpossibleSharesAreNamed() {
    Limiter limiter = limiter("1/1s").name("sms").lane("batch", Share.weight(1)).build();
    var unknown = assertThrows(IllegalArgumentException.class, () -> limiter.lane("bacth"));
    assertEquals(
        "limiter sms has no lane \"bacth\"; its lanes are [default, batch]", unknown.getMessage());
    assertThrows(IllegalArgumentException.class, () -> Share.weight(0));
    assertThrows(IllegalArgumentException.class, () -> Share.weight(1001));
    assertThrows(IllegalArgumentException.class, () -> Share.weight(1).reserving(100));
    Limiter.Builder allReserved =
        limiter("100/1s")
            .lane("a", Share.weight(1).reserving(50))
            .lane("b", Share.weight(1).reserving(50));
    assertThrows(IllegalArgumentException.class, allReserved::build);
    Limiter.Builder tooLittle = limiter("10/1s").lane("a", Share.weight(1).reserving(5));
    var none = assertThrows(IllegalArgumentException.class, tooLittle::build);
    assertEquals("5 percent of 10/1s is less than one permit", none.getMessage());
  }

  @Test
  void estimatesAreLowerBoundsInEveryLane() {
    Limiter limiter = limiter("10/1m").lane("a", Share.weight(1).reserving(20)).build();
    ask(limiter, "common", 20, 1);
    assertEquals(Duration.ZERO, limiter.lane("a").estimateWait(Cost.ONE));
    assertEquals(Duration.ofMinutes(2), limiter.estimateWait(Cost.ONE), "behind twelve, by eights");
  }

  @Test
  void weightsThatAreNearlyTheSameAreToldApart() {
    Limiter limiter =
        limiter("8/1s").lane("a", Share.weight(1000)).lane("b", Share.weight(600)).build();
    ask(limiter.lane("a"), "a", 900, 1);
    ask(limiter.lane("b"), "b", 900, 1);
    for (int second = 0; second < 100; second++) {
      time.advance(SECOND);
    }
    assertEquals(808, released.size());
    assertEquals(505, releasedOf("a"), 5);
  }

  @Test
  void freeRequestsTakeTurnsToo() {
    Limiter limiter = limiter("concurrent(1)").lane("free", Share.weight(1)).build();
    Permit open = limiter.tryAcquire().orElseThrow();
    ask(limiter.lane("free"), "free", 50, 0).forEach(LanesTest::closeAtOnce);
    ask(limiter, "other", 10, 1).forEach(LanesTest::closeAtOnce);
    open.answered();
    assertEquals(60, released.size());
    assertEquals(20, released.lastIndexOf("other9"), 2);
  }

  private static void closeAtOnce(CompletableFuture<Permit> place) {
    var unused = place.thenAccept(Permit::answered);
  }

  @Test
  void turnsMayWrapAround() {
    Limiter limiter = limiter("unlimited").lane("b", Share.weight(1)).build();
    limiter.setLimit("concurrent(1)"); // which took any cost, so it still does
    long dear = Long.MAX_VALUE;
    Permit open = limiter.tryAcquire(dear).orElseThrow();
    for (int i = 0; i < 3000; i++) {
      CompletableFuture<Permit> next = limiter.acquireAsync(dear);
      open.answered();
      open = next.join();
      if (i % 100 == 0) {
        ask(limiter, "default", 3, dear).forEach(LanesTest::closeAtOnce);
        ask(limiter.lane("b"), "b", 1, dear).forEach(LanesTest::closeAtOnce);
        open.answered();
        assertTrue(released.indexOf("b0") <= 1, () -> "served " + released);
        released.clear();
        open = limiter.tryAcquire(dear).orElseThrow();
      }
    }
  }

  @Test
  void aRequestBehindALeaverWaitsForEarlierOnes() {
    Limiter limiter = limiter("1/1s").lane("a", Share.weight(1)).build();
    ask(limiter, "before", 1, 1);
    CompletableFuture<Permit> leaves = ask(limiter.lane("a"), "leaves", 1, 1).get(0);
    time.advance(Duration.ofMillis(1));
    ask(limiter, "second", 1, 1);
    time.advance(Duration.ofMillis(1));
    ask(limiter.lane("a"), "third", 1, 1);
    leaves.cancel(false);
    time.advance(SECOND);
    time.advance(SECOND);
    assertEquals(List.of("before0", "second0", "third0"), released);
  }

  @Test
  void noWaiterTakesWhatAnotherOfItsLaneWasCalledTo() {
    Limiter lane = limiter("4/1m").lane("a", Share.weight(1).reserving(75)).build().lane("a");
    assertTrue(lane.tryAcquire(3).isPresent());
    assertTrue(lane.tryAcquire(1).isPresent());
    var slow = new ArrayDeque<Runnable>();
    var first = lane.acquireAsync(Cost.of(3), slow::add, permit -> released.add("first"));
    var second = lane.acquireAsync(Cost.ONE, Runnable::run, permit -> released.add("second"));
    time.advance(Duration.ofMinutes(1));
    slow.forEach(Runnable::run);
    assertEquals(
        List.of("second", "first"), released, "both can go, in the order in which they come");
    assertTrue(first.isDone() && second.isDone());
  }

  @Test
  void norDoesOneThatComesNow() {
    Limiter lane = limiter("4/1m").lane("a", Share.weight(1).reserving(75)).build().lane("a");
    assertTrue(lane.tryAcquire(3).isPresent());
    assertTrue(lane.tryAcquire(1).isPresent());
    var slow = new ArrayDeque<Runnable>();
    var first = lane.acquireAsync(Cost.of(3), slow::add, permit -> released.add("first"));
    time.advance(Duration.ofMinutes(1));
    assertTrue(lane.tryAcquire().isPresent());
    slow.forEach(Runnable::run);
    assertTrue(first.isDone());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "10/1m",
        "bucket(1/1m, burst=10)",
        "concurrent(10)",
        "peer(10/1m)",
        "peer(bucket(1/1m, burst=10, initial=full))",
        "starts(10/1m) & concurrent(10)"
      })
  void roundingLosesNoPermit(String limit) {
    Limiter.Builder builder = limiter(limit);
    var lanes = List.of("a", "b", "c", "d", "e");
    lanes.forEach(lane -> builder.lane(lane, Share.weight(1).reserving(19)));
    Limiter limiter = builder.build();
    var open = new ArrayList<Permit>();
    for (String lane : lanes) {
      limiter.lane(lane).tryAcquire().ifPresent(open::add);
    }
    for (int i = 0; i < 10; i++) {
      limiter.tryAcquire().ifPresent(open::add);
    }
    assertEquals(10, open.size());
  }
}
