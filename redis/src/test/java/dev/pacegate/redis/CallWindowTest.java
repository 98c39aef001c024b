package dev.pacegate.redis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.redis.CallWindow.CallBatch;
import dev.pacegate.redis.CallWindow.CallLine;
import dev.pacegate.time.ManualTime;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Which calls are made, when, and of how many entries. */
class CallWindowTest {

  private static final Duration LATE = Duration.ofSeconds(1);
  private static final CallLine LIMIT = new CallLine("limit", null);
  private static final CallLine KEYS = new CallLine("keys", "source");
  private static final int PART_OF_REPORTS = CallWindow.MOST / 4;
  private static final int MOST_IN_A_CALL = CallWindow.MOST_IN_A_CALL;

  private final ManualTime time = ManualTime.manual(-1);
  private final CallWindow<Integer> window = new CallWindow<>(time, LATE, this::make);
  private final List<CallBatch<Integer>> made = new ArrayList<>();
  private final Deque<CallBatch<Integer>> underWay = new ArrayDeque<>();
  private boolean failsAtOnce;

  @Test
  void entriesAreMadeInTheOrderInWhichTheyCame() {
    add(0, CallWindow.MOST + 3);
    assertEquals(CallWindow.MOST, made.size());
    answerFirst(0);
    answerFirst(0);
    assertEquals(IntStream.range(0, CallWindow.MOST + 2).boxed().toList(), entries());
  }

  /** Such as the limit within which that of the keys is, and whose call lets them all go. */
  @Test
  void aLimitDoesNotWaitForTheManyKeysOfAnother() {
    add(0, 2 * CallWindow.MOST);
    int other = 2 * CallWindow.MOST;
    window.add(new CallLine("another", null), other);
    answerFirst(0);
    answerFirst(0);
    answerFirst(0);
    int next = CallWindow.MOST;
    assertEquals(List.of(next, other, next + 1), entries().subList(next, made.size()));
  }

  /** Else what each grants would be over when it comes, and asked for again. */
  @Test
  void ofASlowServerFewerAreUnderWay() {
    add(0, CallWindow.MOST);
    time.advance(LATE);
    for (int i = 0; i < CallWindow.MOST; i++) {
      answerFirst(LATE.toNanos());
    }
    add(CallWindow.MOST, 3 * CallWindow.MOST);
    assertEquals(CallWindow.MOST + CallWindow.MOST / 2, made.size());
    answerFirst(LATE.toNanos() / 2);
    assertEquals(CallWindow.MOST + CallWindow.MOST / 2 + 1, made.size(), "one for one");
    answerFirst(LATE.toNanos() / 2 - 1);
    assertEquals(CallWindow.MOST + CallWindow.MOST / 2 + 3, made.size(), "one more");
  }

  /** As when there is no connection. */
  @Test
  void anyNumberOfCallsThatFailAtOnceTakeNoStack() {
    int calls = 100_000;
    add(0, CallWindow.MOST);
    failsAtOnce = true;
    add(0, calls);
    answerFirst(0);
    assertEquals(CallWindow.MOST + calls, made.size());
    failsAtOnce = false;
    add(0, 1);
    assertEquals(CallWindow.MOST, underWay.size(), "the place is free again");
  }

  @Test
  void theMoreCallsAreUnderWayTheMoreEntriesAreGathered() {
    addKeys(0, 1_000);
    assertEquals(List.of(1, 2, 8, 32, 32, 32, 32, 32, 32, 32), sizes());
    answerFirst(0);
    answerFirst(0);
    assertEquals(10, made.size(), "there is no room for 32");
    answerFirst(0);
    assertEquals(11, made.size());
    assertEquals(32, made.get(10).entries().size());
  }

  @Test
  void aSingleEntryWaitsForNothingOnceNoOtherIsUnderWay() {
    addKeys(0, 2);
    assertEquals(List.of(1), sizes());
    answerFirst(0);
    assertEquals(List.of(1, 1), sizes());
  }

  /** The last call under way takes all that came meanwhile with it. */
  @Test
  void entriesThatWaitGoWithTheNextAnswer() {
    addKeys(0, 1 + 2 + 3);
    assertEquals(List.of(1, 2), sizes());
    answerFirst(0);
    assertEquals(List.of(1, 2, 3), sizes());
  }

  /** A limit that does not gather has calls of its own, however many wait. */
  @Test
  void entriesOfALineThatDoesNotGatherGoByThemselves() {
    add(0, 2 * CallWindow.MOST);
    underWayOver(0);
    assertTrue(sizes().stream().allMatch(size -> size == 1));
    assertEquals(2 * CallWindow.MOST, made.size());
  }

  /** Of a window that has shrunk to less than a call. */
  @Test
  void aCallHasNoMoreEntriesThanTheServerAnswersInTime() {
    addKeys(0, 10_000);
    for (int i = 0; i < 8; i++) {
      time.advance(LATE);
      List<CallBatch<Integer>> late = List.copyOf(underWay);
      late.forEach(batch -> answerFirst(LATE.toNanos()));
    }
    assertEquals(1, made.get(made.size() - 1).entries().size());
  }

  /** They go along with requests, one for one, so that they keep pace and hold up little. */
  @Test
  void requestsGoBeforeReportsThatWaitForLonger() {
    addKeys(0, 1);
    addReports(1_000, 1_100);
    assertEquals(1, made.size(), "a call is under way");
    addKeys(1, 3);
    assertEquals(List.of(1, 2, 1_000, 1_001), made.get(1).entries());
  }

  /** Else ever more would wait for as long as full calls of requests do. */
  @Test
  void reportsKeepPaceWithRequestsHoweverManyOfTheseWait() {
    addKeys(0, 10_000);
    addReports(10_000, 12_000);
    int before = entries().size();
    for (int i = 0; i < 100; i++) {
      answerFirst(0);
    }
    List<Integer> later = entries().subList(before, entries().size());
    int reports = (int) later.stream().filter(entry -> entry >= 10_000).count();
    assertEquals(0.5, (double) reports / later.size(), 0.02);
  }

  @Test
  void aReportMovesOnceAWindowOfRequestsOfAnotherLineWent() {
    addReports(1_000, 1_001);
    addReports(1_001, 1_050);
    answerFirst(0);
    add(10_000, 20_000);
    answerFirst(0);
    assertReported(1_033, 2 * CallWindow.MOST);
  }

  /** Such as of a server that answers one in a second. */
  @Test
  void aReportHasItsTurnIfOneEntryIsUnderWay() {
    shrink();
    addKeys(0, 50);
    addReports(1_000, 1_020);
    assertReported(1_019, 45);
  }

  private void assertReported(int report, int most) {
    for (int i = 0; !entries().contains(report); i++) {
      assertTrue(i < most, () -> report + " waits after " + most + " calls");
      answerFirst(LATE.toNanos());
    }
  }

  @Test
  void noRequestWaitsForTheCallsOfReports() {
    addReports(0, 1_000);
    assertEquals(List.of(1, 32), sizes(), "a quarter of the window");
    addKeys(1_000, 1_001);
    assertEquals(List.of(1_000, 33), made.get(2).entries());
  }

  /** Other lines have the window for themselves as well. */
  @Test
  void reportsOfAllLinesTogetherHaveAPartOfTheWindow() {
    for (int i = 0; i < 2 * CallWindow.MOST; i++) {
      window.addReport(new CallLine("limit " + i, null), i);
    }
    assertEquals(PART_OF_REPORTS, made.size());
    add(1_000, 1_000 + CallWindow.MOST);
    assertEquals(CallWindow.MOST, made.size());
    underWayOver(0);
    assertEquals(3 * CallWindow.MOST, made.size());
  }

  @Test
  void aReportForWhichARequestWaitsGoesAsARequest() {
    addKeys(0, 1);
    addReports(1_000, 1_010);
    window.hurry(KEYS, 1_005);
    assertEquals(1, made.size(), "another call is under way");
    window.hurry(KEYS, 1_006);
    assertEquals(List.of(1_005, 1_006, 1_000, 1_001), made.get(1).entries());
    window.hurry(KEYS, 1_006);
    window.hurry(new CallLine("unknown", null), 1_006);
    underWayOver(0);
    assertEquals(11, entries().stream().distinct().count());
    assertEquals(11, entries().size(), "none goes twice");
  }

  /**
   * Places must be granted within 100 ms: what comes later is of no use, and is asked for again.
   */
  @Test
  void aLimitWhoseRepliesMustComeSoonShrinksTheWindowSoon() {
    Duration useful = Duration.ofMillis(100);
    add(0, 2 * CallWindow.MOST);
    time.advance(useful);
    window.over(underWay.remove(), useful.toNanos(), useful.toNanos());
    while (underWay.size() > CallWindow.MOST / 2) {
      answerFirst(useful.toNanos() - 1);
    }
    assertEquals(CallWindow.MOST, made.size());
    answerFirst(useful.toNanos() - 1);
    assertEquals(CallWindow.MOST + 1, made.size(), "one for one, of any limit");
    answerFirst(useful.toNanos() / 2 - 1);
    assertEquals(CallWindow.MOST + 3, made.size(), "one more");
  }

  /** A server that is far away is no slow one: others need not suffer for a limit of places. */
  @Test
  void aCallRemainsWhateverALimitNeeds() {
    Duration useful = Duration.ofMillis(100);
    addKeys(0, 10_000);
    for (int i = 0; i < 8; i++) {
      time.advance(useful);
      List<CallBatch<Integer>> late = List.copyOf(underWay);
      late.forEach(batch -> window.over(underWay.remove(), useful.toNanos(), useful.toNanos()));
    }
    assertEquals(MOST_IN_A_CALL, entriesUnderWay());
    time.advance(LATE);
    answerFirst(LATE.toNanos() / 2 - 1);
    assertEquals(2, underWay.size(), "the limit of places is not used any more");
  }

  /** Each of a few seconds in the life of a process leaves half of the window. */
  @Test
  void theWindowIsBackAfterSlowSecondsThoughALimitNeedsRepliesSoon() {
    shrink();
    addKeys(0, 200_000);
    for (int i = 0; i < MOST_IN_A_CALL; i++) {
      answerWithin(Duration.ofMillis(60));
    }
    assertEquals(MOST_IN_A_CALL, entriesUnderWay());
    for (int i = 0; i < 500; i++) {
      answerWithin(Duration.ofMillis(60));
    }
    assertTrue(entriesUnderWay() > CallWindow.MOST - MOST_IN_A_CALL, "below " + CallWindow.MOST);
  }

  /** So that what is late meanwhile is little. */
  @Test
  void aWindowThatIsAboutRightGrowsSlowly() {
    shrink();
    addKeys(0, 10_000);
    for (int i = 0; i < 10; i++) {
      time.advance(LATE);
      answerFirst(LATE.toNanos() - 1);
    }
    assertTrue(entriesUnderWay() <= 11, () -> entriesUnderWay() + " under way");
  }

  private void shrink() {
    add(-CallWindow.MOST, 0);
    for (int i = 0; i < 8; i++) {
      time.advance(LATE);
      answerFirst(LATE.toNanos());
    }
    while (!underWay.isEmpty()) {
      answerFirst(LATE.toNanos());
    }
  }

  private void answerWithin(Duration took) {
    time.advance(took);
    for (CallBatch<Integer> each : List.copyOf(underWay)) {
      underWay.remove(each);
      window.over(each, took.toNanos(), Duration.ofMillis(100).toNanos());
    }
  }

  private int entriesUnderWay() {
    return underWay.stream().mapToInt(batch -> batch.entries().size()).sum();
  }

  /** Lines of both kinds, entries and answers in any order, against the rule as it is written. */
  @Test
  void atAnyTimeTheRuleHolds() {
    long seed = Long.getLong("pacegate.seed", System.nanoTime());
    System.out.println("window: seed " + seed);
    for (int round = 0; round < 40; round++) {
      new RandomRound(new Random(seed + round)).run();
    }
  }

  private void add(int from, int to) {
    for (int i = from; i < to; i++) {
      window.add(LIMIT, i);
    }
  }

  private void addKeys(int from, int to) {
    for (int i = from; i < to; i++) {
      window.add(KEYS, i);
    }
  }

  private void addReports(int from, int to) {
    for (int i = from; i < to; i++) {
      window.addReport(KEYS, i);
    }
  }

  private void make(CallBatch<Integer> batch) {
    made.add(batch);
    if (failsAtOnce) {
      window.over(batch, 0, LATE.toNanos());
    } else {
      underWay.add(batch);
    }
  }

  private void answerFirst(long took) {
    window.over(underWay.remove(), took, LATE.toNanos());
  }

  private void underWayOver(long took) {
    while (!underWay.isEmpty()) {
      answerFirst(took);
    }
  }

  private List<Integer> entries() {
    return made.stream().flatMap(batch -> batch.entries().stream()).toList();
  }

  private List<Integer> sizes() {
    return made.stream().map(batch -> batch.entries().size()).toList();
  }
}
