package dev.pacegate.benchmarks.peers;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class TimelineTest {

  private static final long MILLI = 1_000_000;
  private static final Duration SECOND = Duration.ofSeconds(1);

  private final Timeline timeline = new Timeline(Duration.ofSeconds(10), SECOND);

  private void answered(long sent, long at) {
    timeline.sent(sent * MILLI);
    timeline.ended(Fate.ANSWERED, at * MILLI, at * MILLI);
  }

  private Measured measured() {
    return timeline.measured(Duration.ZERO);
  }

  @Test
  void burstsAreARateWhereverTheRunEnds() {
    for (int burst = 0; burst <= 10; burst++) {
      for (int i = 0; i < 5; i++) {
        answered(1_000 * burst, 1_000 * burst);
      }
    }
    assertEquals(5, measured().perSecond(), 1e-9);

    var shifted = new Timeline(Duration.ofSeconds(10), SECOND);
    for (int burst = 0; burst < 10; burst++) {
      long at = (1_000 * burst + 300) * MILLI;
      shifted.ended(Fate.ANSWERED, at, at);
    }
    assertEquals(1, shifted.measured(Duration.ZERO).perSecond(), 1e-9);
  }

  @Test
  void onlyAnswersAreDelivered() {
    timeline.ended(Fate.REFUSED, 5_000 * MILLI, 5_000 * MILLI);
    timeline.ended(Fate.TIMED_OUT, 5_000 * MILLI, 5_500 * MILLI);
    assertEquals(0, measured().perSecond());
    assertEquals(1, measured().refused());
    assertEquals(1, measured().timedOut());
  }

  @Test
  void aStopBeginsWhenAllIsAnswered() {
    timeline.sent(0);
    timeline.sent(100 * MILLI);
    timeline.ended(Fate.ANSWERED, 300 * MILLI, 300 * MILLI);
    timeline.ended(Fate.ANSWERED, 200 * MILLI, 200 * MILLI);
    timeline.sent(1_250 * MILLI);
    assertEquals(Duration.ofMillis(950), measured().longestStop());
  }

  @Test
  void aRequestUnderWayIsNoStop() {
    timeline.sent(0);
    answered(100, 200);
    timeline.sent(1_250 * MILLI);
    assertEquals(Duration.ZERO, measured().longestStop());
  }

  @Test
  void aStopBeginsWhenALostRequestCanNoLongerBeCounted() {
    timeline.sent(0);
    timeline.ended(Fate.TIMED_OUT, 300 * MILLI, 1_000 * MILLI);
    timeline.sent(2_100 * MILLI);
    assertEquals(Duration.ofMillis(1_100), measured().longestStop());
  }

  @Test
  void aRequestMayTimeOutBeforeItLeaves() {
    timeline.ended(Fate.TIMED_OUT, 300 * MILLI, 1_000 * MILLI);
    answered(1_100, 1_200);
    answered(1_300, 1_400);
    assertEquals(Duration.ofMillis(100), measured().longestStop());
  }

  @Test
  void requestsAfterTheEndAreLeftOut() {
    answered(9_000, 9_100);
    answered(10_500, 10_600);
    assertEquals(1, measured().sent());
    assertEquals(1, measured().answered());
    assertEquals(Duration.ZERO, measured().longestStop());
  }
}
