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

  private static final Duration LATE = Duration.ofSeconds(1);

  private static final String LIMIT = "keys";

  private final ManualTime time = ManualTime.manual(-1);
  private final CallWindow window = new CallWindow(time, LATE);
  private final List<Integer> made = new ArrayList<>();

  @Test
  void callsAreMadeInTheOrderInWhichTheyCame() {
    add(0, CallWindow.MOST + 3);
    assertEquals(CallWindow.MOST, made.size());
    window.over(0);
    window.over(0);
    assertEquals(IntStream.range(0, CallWindow.MOST + 2).boxed().toList(), made);
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

  /** Else what each grants would be over when it comes, and asked for again. */
  @Test
  void ofASlowServerFewerAreUnderWay() {
    add(0, CallWindow.MOST);
    time.advance(LATE);
    for (int i = 0; i < CallWindow.MOST; i++) {
      window.over(LATE.toNanos());
    }
    add(CallWindow.MOST, 3 * CallWindow.MOST);
    assertEquals(CallWindow.MOST + CallWindow.MOST / 2, made.size());
    window.over(LATE.toNanos() / 2);
    assertEquals(CallWindow.MOST + CallWindow.MOST / 2 + 1, made.size(), "one for one");
    window.over(LATE.toNanos() / 2 - 1);
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
  }
}
