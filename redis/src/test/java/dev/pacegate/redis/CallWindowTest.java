package dev.pacegate.redis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.time.ManualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Which calls are made, and when. */
class CallWindowTest {

  private static final Duration SILENCE = Duration.ofSeconds(1);

  private static final String LIMIT = "keys";

  private final ManualTime time = ManualTime.manual(-1);
  private final CallWindow window = new CallWindow(time, SILENCE);
  private final List<Integer> made = new ArrayList<>();
  private final List<Integer> failed = new ArrayList<>();

  @Test
  void callsAreMadeInTheOrderInWhichTheyCame() {
    add(0, CallWindow.MOST + 3);
    assertEquals(CallWindow.MOST, made.size());
    window.over(0);
    window.over(0);
    assertEquals(IntStream.range(0, CallWindow.MOST + 2).boxed().toList(), made);
  }

  @Test
  void callsThatWaitFailOnceNoneHasBeenAnsweredForAWhile() {
    add(0, CallWindow.MOST + 2);
    time.advance(SILENCE.dividedBy(2));
    window.over(0);
    time.advance(SILENCE.minusNanos(1));
    assertEquals(List.of(), failed);
    time.advanceNanos(1);
    assertEquals(List.of(CallWindow.MOST + 1), failed);
    window.over(0);
    assertEquals(CallWindow.MOST + 1, made.size(), "a call that has failed is not made");
  }

  /** Such as the limit within which that of the keys is, and whose call lets them all go. */
  @Test
  void aLimitDoesNotWaitForTheManyKeysOfAnother() {
    add(0, 2 * CallWindow.MOST);
    int other = 2 * CallWindow.MOST;
    window.add("another", new Counted(other));
    window.over(0);
    window.over(0);
    window.over(0);
    int next = CallWindow.MOST;
    assertEquals(List.of(next, other, next + 1), made.subList(CallWindow.MOST, made.size()));
  }

  /** A server that had little to do for a while has not been silent. */
  @Test
  void callsThatWaitDoNotFailForASilenceFromBeforeTheOthersWereMade() {
    add(0, CallWindow.MOST + 1); // one waits: the silence is watched
    for (int i = 0; i < CallWindow.MOST; i++) {
      window.over(0);
    }
    time.advance(SILENCE.minusNanos(1));
    add(CallWindow.MOST + 1, 2 * CallWindow.MOST + 1); // the last one waits
    time.advance(SILENCE.minusNanos(1));
    assertEquals(List.of(), failed);
    time.advanceNanos(1);
    assertEquals(List.of(2 * CallWindow.MOST), failed);
  }

  @Test
  void noTimerIsLeftOnceNoneWaits() {
    add(0, CallWindow.MOST + 1);
    window.over(0);
    time.advance(SILENCE);
    assertEquals(0, time.pending());
    assertEquals(List.of(), failed);
  }

  /** Else each would be late, and made again. */
  @Test
  void ofASlowServerFewerAreUnderWay() {
    add(0, CallWindow.MOST);
    time.advance(SILENCE);
    for (int i = 0; i < CallWindow.MOST; i++) {
      window.over(SILENCE.toNanos());
    }
    add(CallWindow.MOST, 3 * CallWindow.MOST);
    assertEquals(CallWindow.MOST + CallWindow.MOST / 2, made.size());
    window.over(SILENCE.toNanos() / 2);
    assertEquals(CallWindow.MOST + CallWindow.MOST / 2 + 1, made.size(), "one for one");
    window.over(SILENCE.toNanos() / 2 - 1);
    assertEquals(CallWindow.MOST + CallWindow.MOST / 2 + 3, made.size(), "one more");
  }

  /** As when there is no connection. */
  @Test
  void anyNumberOfCallsThatFailAtOnceTakeNoStack() {
    int calls = 100_000;
    add(0, CallWindow.MOST);
    for (int i = 0; i < calls; i++) {
      window.add(
          LIMIT,
          new Counted(i) {
            @Override
            public void make() {
              super.make();
              window.over(0);
            }
          });
    }
    window.over(0);
    assertEquals(CallWindow.MOST + calls, made.size());
    assertTrue(!window.isFull(), "the place is free again");
  }

  private void add(int from, int to) {
    for (int i = from; i < to; i++) {
      window.add(LIMIT, new Counted(i));
    }
  }

  private class Counted implements CallWindow.PendingCall {
    private final int number;

    Counted(int number) {
      this.number = number;
    }

    @Override
    public void make() {
      made.add(number);
    }

    @Override
    public void fail(Throwable why) {
      failed.add(number);
    }
  }
}
