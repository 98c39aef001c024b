package dev.pacegate.engine.visit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import dev.pacegate.engine.visit.Visit.Sleeper;
import dev.pacegate.time.ManualTime;
import dev.pacegate.time.Time;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.Test;

/** Who wakes the threads that a visit leaves to an alarm. */
class VisitTest {

  private final List<Throwable> failures = new ArrayList<>();
  private final List<String> woken = new ArrayList<>();

  /** A time whose timer takes no task. */
  private static final class NoTimer implements Time {
    @Override
    public long nanoTime() {
      return 0;
    }

    @Override
    public Instant instant() {
      return Instant.EPOCH;
    }

    @Override
    public Scheduled at(long instant, Runnable task) {
      throw new RejectedExecutionException();
    }
  }

  private void leaveTwoToAlarm(Time time) {
    var visit = new Visit(0);
    visit.wake(() -> woken.add("first"));
    visit.wake(() -> woken.add("second"));
    List<Sleeper> later = visit.handOver();
    visit.startFirst(new Alarm(time, 1, rung -> {}));
    visit.wakeIfNotStarted(later);
    visit.wakeIfNotStarted(visit.handOver()); // a visit advances more than once
    visit.leave(this::perform);
  }

  private void perform(Runnable action) {
    try {
      action.run();
    } catch (RejectedExecutionException failure) {
      failures.add(failure);
    }
  }

  @Test
  void theyAreWokenIfItCannotBeStarted() {
    leaveTwoToAlarm(new NoTimer());
    assertEquals(List.of("first", "second"), woken);
    assertInstanceOf(RejectedExecutionException.class, failures.get(0));
  }

  @Test
  void theySleepUntilItRings() {
    leaveTwoToAlarm(ManualTime.manual());
    assertEquals(List.of(), woken);
    assertEquals(List.of(), failures);
  }
}
