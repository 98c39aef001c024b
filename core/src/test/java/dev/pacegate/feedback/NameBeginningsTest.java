package dev.pacegate.feedback;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;

/** Which names of headers begin as those of limits do. */
class NameBeginningsTest {

  private static final NameBeginnings BEGINNINGS =
      new NameBeginnings(List.of("Retry-After", "RateLimit", "x-mbx-"));

  @Test
  void oneNameIsEnoughWhateverItsCase() {
    for (String name : List.of("Retry-After", "retry-after-ms", "RATELIMIT", "X-MBX-USED")) {
      assertEquals(true, BEGINNINGS.isAmong(List.of("Date", name)), name);
    }
  }

  @Test
  void noneIsAmongOthers() {
    for (String name : List.of("", "R", "Retry-Afte", "Rate-Limit", "a-RateLimit", "X-MBX")) {
      assertEquals(false, BEGINNINGS.isAmong(List.of(name, "Date")), name);
    }
    assertEquals(false, BEGINNINGS.isAmong(List.of()));
  }
}
