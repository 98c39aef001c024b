package dev.pacegate.reactive;

import static dev.pacegate.reactive.Rig.interval;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.time.ManualTime;
import java.util.List;
import org.junit.jupiter.api.Test;

class PulseTest {

  private final ManualTime time = ManualTime.manual();
  private final Rig<Integer, Integer> open = new Rig<>(time, Pace.pulse(interval(time, 20)));
  private final Rig<Integer, Integer> closed =
      new Rig<>(time, Pace.pulse(interval(time, 20).eager(false)));

  @Test // PU-1
  void closedAsksForTheFirstAfterAnInterval() {
    closed.pass(19);
    assertEquals(0, closed.source.requested.get());
    closed.pass(1);
    assertEquals(1, closed.source.requested.get());
    closed.send(1).pass(19);
    assertEquals(0, closed.source.requested.get());
    closed.pass(1).send(2).source.complete();
    assertEquals(List.of(1, 2), closed.sink.elements);
    assertEquals(List.of(20L, 40L), closed.sink.millis());
    assertTrue(closed.sink.completed);
  }

  @Test // PU-3
  void openAsksForTheFirstAtOnce() {
    assertEquals(1, open.source.requested.get());
    open.send(1);
    assertEquals(List.of(1), open.sink.elements);
  }

  @Test // PU-4
  void openAsksForTheNextAfterAnInterval() {
    open.send(1).pass(19);
    assertEquals(0, open.source.requested.get());
    open.pass(1);
    assertEquals(1, open.source.requested.get());
    open.send(2).source.complete();
    assertEquals(List.of(1, 2), open.sink.elements);
    assertTrue(open.sink.completed);
  }

  @Test
  void creditDoesNotAccumulate() {
    open.pass(1_000).send(1).pass(19);
    assertEquals(0, open.source.requested.get());
    var unwanted = new Rig<>(time, Pace.<Integer>pulse(interval(time, 20)), 0);
    unwanted.pass(1_000).sink.subscription.request(5);
    assertEquals(1, unwanted.source.requested.get());
    unwanted.send(1);
    assertEquals(0, unwanted.source.requested.get());
  }

  /** The original limits when elements are asked for, so a slow answer may be followed closely. */
  @Test
  void aSlowAnswerIsNotFollowedSoonerThanAnIntervalLater() {
    open.pass(15).send(1).pass(19);
    assertEquals(0, open.source.requested.get());
    open.pass(1).send(2).pass(100).send(3).pass(19);
    assertEquals(0, open.source.requested.get());
    assertEquals(List.of(15L, 35L, 135L), open.sink.millis());
  }

  @Test
  void nothingIsAskedForWithoutDemand() {
    var one = new Rig<>(time, Pace.<Integer>pulse(interval(time, 20)), 1);
    one.send(1).pass(1_000);
    assertEquals(0, one.source.requested.get());
    assertEquals(0, time.pending());
  }

  @Test
  void anUnaskedElementFailsTheStreamAtOnce() {
    open.send(1).send(2).pass(20);
    assertEquals(List.of(1), open.sink.elements);
    assertInstanceOf(IllegalStateException.class, open.sink.failure);
    assertTrue(open.source.cancelled);
  }

  @Test
  void nothingIsLeftAfterAnyEnd() {
    var reason = new RuntimeException();
    open.send(1).source.fail(reason);
    assertSame(reason, open.sink.failure);
    closed.sink.subscription.cancel();
    assertTrue(closed.source.cancelled);
    open.assertNothingLeft();
  }

  @Test
  void completesWhileWaiting() {
    open.send(1).source.complete();
    closed.source.complete();
    assertTrue(open.sink.completed);
    assertTrue(closed.sink.completed);
    open.assertNothingLeft();
  }

  @Test
  void moreThanWasRequestedFailsTheStream() {
    var blocked = new Rig<>(time, Pace.<Integer>pulse(interval(time, 20)), 0);
    blocked.send(1, 2);
    assertInstanceOf(IllegalStateException.class, blocked.sink.failure);
    assertTrue(blocked.source.cancelled);
  }
}
