package dev.pacegate.micrometer;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.pacegate.Limiter;
import dev.pacegate.time.ManualTime;
import java.time.Duration;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The figures of one scrape fit together, and none is old. */
class WaitReadingTest {

  private final ManualTime time = ManualTime.manual();
  private final Limiter limiter = Limiter.builder("unlimited").time(time).build();
  private final WaitReading reading = new WaitReading(limiter);

  @Test
  void figuresThatAreReadOnceAreOfOneInstant() throws Exception {
    assertEquals(0, reading.of(0).count());
    limiter.acquire().answered();
    IntStream.rangeClosed(1, 63).forEach(i -> assertEquals(0, reading.of(i).count()));
    IntStream.rangeClosed(0, 63).forEach(i -> assertEquals(1, reading.of(i).count()));
  }

  @Test
  void aFigureThatIsReadAgainIsNew() throws Exception {
    assertEquals(0, reading.of(7).count());
    limiter.acquire().answered();
    assertEquals(1, reading.of(7).count());
  }

  @Test
  void noReadingIsOld() throws Exception {
    assertEquals(0, reading.of(0).count());
    limiter.acquire().answered();
    time.advance(Duration.ofMillis(150)); // longer than a scrape takes
    assertEquals(1, reading.of(1).count());
  }
}
