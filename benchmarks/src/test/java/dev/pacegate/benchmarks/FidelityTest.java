package dev.pacegate.benchmarks;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class FidelityTest {

  @Test
  void countsNoMoreThanTheLimitByItsOwnInstants() throws InterruptedException {
    var fidelity = new Fidelity(2, Duration.ofSeconds(1));
    fidelity.measure(1_000);
    assertEquals(3, fidelity.rows().size());
    Fidelity.Row window = fidelity.rows().get(0);
    assertEquals(1_000, window.mostReported());
    assertEquals(true, window.kept());
    assertTrue(window.delivered() > 0 && window.delivered() <= 1, window::toString);
  }
}
