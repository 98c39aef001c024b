package dev.pacegate.reactive;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.pacegate.Limiter;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;

class FirstTest {
  @Test
  void million() {
    Limiter limiter = Limiter.of("unlimited");
    for (int i = 0; i < 10; i++) {
      long t = System.nanoTime();
      Long n = Flux.range(0, 1_000_000).transform(Pace.throttle(limiter)).count().block();
      System.out.println((System.nanoTime() - t) / 1e6 + " ns");
      assertEquals(1_000_000, n);
    }
  }
}
