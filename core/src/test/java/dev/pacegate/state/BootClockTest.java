package dev.pacegate.state;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import java.util.UUID;
import org.junit.jupiter.api.Test;

/** What names the time for which a monotonic clock goes on. */
class BootClockTest {

  @Test
  void isTheSameForTheWholeBoot() {
    assertEquals(BootClock.here().boot(), BootClock.here().boot());
  }

  @Test
  void isAnotherWhereTheClockOfAContainerIs() {
    var boot = new UUID(1, 2);
    UUID one = BootClock.ofContainer(boot, "monotonic 0 0\nboottime 0 0\n");
    assertEquals(one, BootClock.ofContainer(boot, "monotonic 0 0\nboottime 0 0\n"));
    assertNotEquals(one, BootClock.ofContainer(boot, "monotonic 86400 0\nboottime 0 0\n"));
    assertNotEquals(one, BootClock.ofContainer(new UUID(3, 2), "monotonic 0 0\nboottime 0 0\n"));
  }
}
