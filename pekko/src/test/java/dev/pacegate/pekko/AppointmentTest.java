package dev.pacegate.pekko;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.pacegate.time.ManualTime;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.apache.pekko.Done;
import org.apache.pekko.stream.stage.AsyncCallback;
import org.junit.jupiter.api.Test;
import scala.concurrent.Future;

/** What comes in between the timer and the turn of a stage. */
class AppointmentTest {

  private final ManualTime time = ManualTime.manual();
  private final ArrayDeque<Runnable> turns = new ArrayDeque<>();
  private final List<String> done = new ArrayList<>();
  private final Appointment appointment = new Appointment(time, new Turns());

  private final class Turns implements AsyncCallback<Runnable> {
    @Override
    public void invoke(Runnable turn) {
      turns.add(turn);
    }

    @Override
    public Future<Done> invokeWithFeedback(Runnable turn) {
      throw new UnsupportedOperationException();
    }
  }

  private void takeTurns() {
    turns.forEach(Runnable::run);
    turns.clear();
  }

  @Test
  void isKeptInATurnOfTheStage() {
    appointment.at(10, () -> done.add("kept"));
    time.advanceNanos(10);
    assertEquals(List.of(), done);
    takeTurns();
    assertEquals(List.of("kept"), done);
  }

  @Test
  void isNotKeptIfItIsCancelledBeforeTheTurn() {
    appointment.at(10, () -> done.add("kept"));
    time.advanceNanos(10);
    appointment.cancel();
    takeTurns();
    assertEquals(List.of(), done);
  }

  @Test
  void theNextTakesThePlaceOfTheLast() {
    appointment.at(10, () -> done.add("first"));
    appointment.at(20, () -> done.add("second"));
    assertEquals(1, time.pending());
    time.advanceNanos(20);
    appointment.at(30, () -> done.add("third"));
    takeTurns();
    assertEquals(List.of(), done);
    time.advanceNanos(10);
    takeTurns();
    assertEquals(List.of("third"), done);
  }
}
