package dev.pacegate.reactive;

import static dev.pacegate.reactive.Rig.interval;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.time.ManualTime;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

class WindowTest {

  private final ManualTime time = ManualTime.manual();
  private final Rig<Integer, Integer> eager = sums(interval(time, 100));
  private final Rig<Integer, Integer> patient = sums(interval(time, 100).eager(false));

  private Rig<Integer, Integer> sums(Interval interval) {
    return new Rig<>(time, Pace.window(interval, Function.identity(), Integer::sum));
  }

  @Test // TW-1
  void patientlyPassesOnlyWholeIntervals() {
    patient.send(1, 1, 1).pass(99);
    assertEquals(List.of(), patient.sink.elements);
    patient.pass(11);
    assertEquals(List.of(3), patient.sink.elements);
    patient.send(1, 1).pass(89);
    assertEquals(List.of(3), patient.sink.elements);
    patient.pass(1);
    assertEquals(List.of(3, 2), patient.sink.elements);
    assertEquals(List.of(100L, 200L), patient.sink.millis());
  }

  @Test
  void patientlyBeginsAnIntervalWithWhatComesAfterIdleness() {
    patient.pass(1_000).send(1).pass(60).send(2).pass(39);
    assertEquals(List.of(), patient.sink.elements);
    patient.pass(1);
    assertEquals(List.of(3), patient.sink.elements);
    assertEquals(List.of(1_100L), patient.sink.millis());
  }

  @Test
  void patientlyWaitsForDemandNoLongerThanTheInterval() {
    var unwanted =
        new Rig<>(
            time,
            Pace.<Integer, Integer>window(
                interval(time, 100).eager(false), Function.identity(), Integer::sum),
            0);
    unwanted.pass(1_000).send(1).pass(90).sink.subscription.request(1);
    unwanted.pass(9);
    assertEquals(List.of(), unwanted.sink.elements);
    unwanted.pass(1);
    assertEquals(List.of(1), unwanted.sink.elements);
    unwanted.pass(1_000).send(2).pass(150).send(3).sink.subscription.request(1);
    assertEquals(List.of(1, 5), unwanted.sink.elements, "the interval is over already");
  }

  @Test // TW-2
  void eagerlyPassesTheFirstAtOnceAndTheNextAnIntervalLater() {
    eager.send(1).send(1, 1).pass(99);
    assertEquals(List.of(1), eager.sink.elements);
    eager.pass(1);
    assertEquals(List.of(1, 2), eager.sink.elements);
    assertEquals(List.of(0L, 100L), eager.sink.millis());
  }

  @Test
  void noTimerRunsWhileThereIsNothingToPassOn() {
    assertEquals(0, time.pending());
    eager.send(1);
    patient.send(1).pass(100);
    assertEquals(0, time.pending());
  }

  @Test
  void theLastGoesWhenItIsDue() {
    eager.send(1, 2, 3).source.complete();
    eager.pass(99);
    assertFalse(eager.sink.completed);
    eager.pass(1);
    assertEquals(List.of(1, 5), eager.sink.elements);
    assertTrue(eager.sink.completed);
    eager.assertNothingLeft();
  }

  @Test
  void nothingIsLeftAfterAnyEnd() {
    var reason = new RuntimeException();
    eager.send(1, 2).source.fail(reason);
    assertSame(reason, eager.sink.failure);
    eager.assertNothingLeft();
    patient.send(1, 2).sink.subscription.cancel();
    assertTrue(patient.source.cancelled);
    patient.assertNothingLeft();
  }

  @Test
  void anExceptionOfAUsersFunctionFailsTheStream() {
    var reason = new IllegalStateException();
    var broken =
        new Rig<>(
            time,
            Pace.<Integer, Integer>window(
                interval(time, 100),
                element -> {
                  throw reason;
                },
                Integer::sum));
    broken.send(1);
    assertSame(reason, broken.sink.failure);
    assertTrue(broken.source.cancelled);
    broken.assertNothingLeft();
  }

  /** The one passed on late is no nearer to the next for that. */
  @Test
  void theIntervalCountsFromWhenItReallyWent() {
    var slow = new Kept<Integer>(time, Long.MAX_VALUE);
    var rig =
        new Rig<>(
            time,
            Pace.<Integer, Integer>window(
                interval(time, 100),
                Function.identity(),
                (sum, next) -> {
                  time.advance(Duration.ofMillis(130)); // during which the permit comes
                  return sum + next;
                }),
            slow);
    rig.send(1, 2, 3); // at 0; 3 is added from 0 to 130, while the permit comes at 100
    rig.send(4).pass(99);
    assertEquals(List.of(1, 5), slow.elements);
    rig.pass(1);
    assertEquals(List.of(0L, 130L, 230L), slow.millis());
  }

  @Test
  void refusesAnIntervalThatIsNone() {
    var refusal = assertThrows(IllegalArgumentException.class, () -> Interval.of(Duration.ZERO));
    assertTrue(refusal.toString().contains("at least 1ns"), refusal.toString());
  }
}
