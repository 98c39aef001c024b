package dev.pacegate.redis;

import static java.util.Objects.requireNonNull;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.redis.CallWindow.CallBatch;
import dev.pacegate.time.ManualTime;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Which calls are made, when, and of how many entries. */
class CallWindowTest {

  private static final Duration LATE = Duration.ofSeconds(1);
  private static final String LIMIT = "limit";
  private static final String KEYS = "keys";

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
    window.add("another", false, other);
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
    assertEquals(List.of(1, 2, 4, 8, 16, 32, 32, 32, 32, 32, 32, 32), sizes());
    answerFirst(0);
    answerFirst(0);
    answerFirst(0);
    answerFirst(0);
    assertEquals(12, made.size(), "there is no room for 32");
    answerFirst(0);
    assertEquals(13, made.size());
    assertEquals(32, made.get(12).entries().size());
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
      window.add(LIMIT, false, i);
    }
  }

  private void addKeys(int from, int to) {
    for (int i = from; i < to; i++) {
      window.add(KEYS, true, i);
    }
  }

  private void make(CallBatch<Integer> batch) {
    made.add(batch);
    if (failsAtOnce) {
      window.over(batch, 0);
    } else {
      underWay.add(batch);
    }
  }

  private void answerFirst(long took) {
    window.over(underWay.remove(), took);
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

  /** What waits and what is under way, as the calls tell. */
  private static final class RandomRound {
    private static final int STEPS = 400;

    private final Random random;
    private final CallWindow<Integer> window =
        new CallWindow<>(ManualTime.manual(0), LATE, this::make);
    private final Map<Object, Deque<Integer>> waiting = new HashMap<>();
    private final List<CallBatch<Integer>> underWay = new ArrayList<>();
    private final List<Object> passed = new ArrayList<>(); // lines whose turn came since an answer
    private int next;

    RandomRound(Random random) {
      this.random = random;
    }

    void run() {
      int lines = 1 + random.nextInt(6);
      int crowd = 1 + random.nextInt(100);
      for (int step = 0; step < STEPS; step++) {
        if (random.nextInt(100) < 30 && !underWay.isEmpty()) {
          answer();
        } else {
          String line = "line " + random.nextInt(lines);
          for (int i = random.nextInt(crowd); i >= 0; i--) {
            add(line);
          }
        }
        assertNothingWaitsInVain();
      }
      while (!underWay.isEmpty()) {
        answer();
      }
      waiting.forEach((line, entries) -> assertEquals(0, entries.size(), line + " lost entries"));
    }

    private void add(String line) {
      waiting.computeIfAbsent(line, name -> new ArrayDeque<>()).add(next);
      window.add(line, gathers(line), next++);
    }

    private static boolean gathers(Object line) {
      return !line.equals("line 0");
    }

    private void answer() {
      CallBatch<Integer> batch = underWay.remove(random.nextInt(underWay.size()));
      passed.clear();
      window.over(batch, 0);
    }

    private void make(CallBatch<Integer> batch) {
      Deque<Integer> ofLine = waitingIn(batch.line());
      int room = CallWindow.MOST - entriesUnderWay();
      int most = gathers(batch.line()) ? Math.min(32, room) : 1;
      int size = batch.entries().size();
      assertEquals(Math.min(ofLine.size(), most), size, "all that wait, and fit");
      assertTrue(size >= needed(batch.line()), "gathers for longer");
      assertTrue(!passed.contains(batch.line()) || noOtherWaitsLonger(batch.line()), "its turn");
      for (Integer entry : batch.entries()) {
        assertEquals(ofLine.remove(), entry, "in order");
      }
      passed.add(batch.line());
      underWay.add(batch);
    }

    // Since the last answer: a line that comes again leaves none behind that had no turn yet.
    private boolean noOtherWaitsLonger(Object line) {
      return waiting.keySet().stream()
          .noneMatch(other -> !other.equals(line) && !passed.contains(other) && mayGo(other));
    }

    private void assertNothingWaitsInVain() {
      waiting.keySet().forEach(line -> assertTrue(!mayGo(line), () -> line + " might have gone"));
    }

    private boolean mayGo(Object line) {
      int room = CallWindow.MOST - entriesUnderWay();
      int most = gathers(line) ? Math.min(32, room) : Math.min(1, room);
      return Math.min(waitingIn(line).size(), most) >= needed(line);
    }

    private Deque<Integer> waitingIn(Object line) {
      return requireNonNull(waiting.get(line));
    }

    private int needed(Object line) {
      int calls = (int) underWay.stream().filter(batch -> batch.line().equals(line)).count();
      return gathers(line) ? Math.min(32, 1 << Math.min(calls, 5)) : 1;
    }

    private int entriesUnderWay() {
      return underWay.stream().mapToInt(batch -> batch.entries().size()).sum();
    }
  }
}
