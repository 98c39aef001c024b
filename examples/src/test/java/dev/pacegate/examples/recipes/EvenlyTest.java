package dev.pacegate.examples.recipes;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.pacegate.Limiter;
import dev.pacegate.limit.Limit;
import dev.pacegate.time.ManualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** When requests go under the limits of {@link Evenly}, in virtual time. */
class EvenlyTest {

  @Test
  void oneEverySixSeconds() throws InterruptedException {
    assertEquals(List.of(0L, 6L, 12L, 18L), seconds(Evenly.ONE.limit(), 4));
  }

  @Test
  void tenASecondApartAndThenTheMinuteIsOver() throws InterruptedException {
    assertEquals(
        List.of(0L, 1L, 2L, 3L, 4L, 5L, 6L, 7L, 8L, 9L, 60L), seconds(Evenly.TEN.limit(), 11));
  }

  @Test
  void threeAtOnceAndThenOneEverySixSeconds() throws InterruptedException {
    assertEquals(List.of(0L, 0L, 0L, 6L, 12L), seconds(Evenly.FEW.limit(), 5));
  }

  /** Returns when so many requests go after a pause of a minute, in whole seconds. */
  private static List<Long> seconds(Limit limit, int requests) throws InterruptedException {
    ManualTime time = ManualTime.selfAdvancing();
    Limiter limiter = Limiter.builder(limit).time(time).build();
    Duration pause = Duration.ofMinutes(1);
    time.advance(pause);
    List<Long> seconds = new ArrayList<>();
    for (int i = 0; i < requests; i++) {
      limiter.run(() -> seconds.add(Duration.ofNanos(time.nanoTime()).minus(pause).toSeconds()));
    }
    return seconds;
  }
}
