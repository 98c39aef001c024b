package dev.pacegate.reactive.tck;

import dev.pacegate.Limiter;
import dev.pacegate.reactive.Operator;
import dev.pacegate.reactive.Pace;
import org.testng.annotations.Test;

@Test
public class LatestProcessorTck extends ProcessorRules {

  @Override
  Operator<Integer, Integer> operator() {
    return Lockstep.of(Pace.throttleLatest(Limiter.of("unlimited")));
  }
}
