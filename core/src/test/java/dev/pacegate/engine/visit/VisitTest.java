package dev.pacegate.engine.visit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What a visit leaves for outside, and to others. */
class VisitTest {

  private final Visit visit = new Visit(0);

  @Test
  void callsTwo() {
    assertTrue(visit.callsAnother(true));
    assertTrue(visit.callsAnother(true));
    assertFalse(visit.callsAnother(false));
  }

  @Test
  void aCallerInAHurryCallsIfNoOtherIsToCome() {
    visit.hurries = true;
    assertFalse(visit.callsAnother(true));
    assertTrue(visit.callsAnother(false));
    assertFalse(visit.callsAnother(true));
  }

  @Test
  void knowsWhetherItHasCalledAnother() {
    assertFalse(visit.hasCalled());
    visit.wake(() -> {}); // a watch that is told its instant is not called
    visit.hurries = true;
    assertFalse(visit.callsAnother(true));
    assertFalse(visit.hasCalled());
    assertTrue(visit.callsAnother(false));
    assertTrue(visit.hasCalled());
  }

  @Test
  void wakesSleepersBeforeAnythingElse() {
    var done = new ArrayList<String>();
    visit.addLast(() -> done.add("last"));
    visit.add(() -> done.add("action"));
    visit.wake(() -> done.add("sleeper"));
    visit.leave(Runnable::run);
    assertEquals(List.of("sleeper", "action", "last"), done);
  }
}
