package dev.pacegate.reactive.tck;

import dev.pacegate.reactive.Operator;
import dev.pacegate.reactive.Pace;
import java.time.Duration;
import org.testng.annotations.Test;

@Test
public class WindowProcessorTck extends ProcessorRules {

  @Override
  Operator<Integer, Integer> operator() {
    return Lockstep.of(
        Pace.window(Duration.ofNanos(20_000), element -> element, (older, newer) -> newer));
  }
}
