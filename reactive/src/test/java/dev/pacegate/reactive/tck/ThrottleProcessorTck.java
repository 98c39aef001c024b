package dev.pacegate.reactive.tck;

import dev.pacegate.limit.Limits;
import dev.pacegate.reactive.Operator;
import dev.pacegate.reactive.Pace;
import org.testng.annotations.Test;

@Test
public class ThrottleProcessorTck extends ProcessorRules {

  @Override
  Operator<Integer, Integer> operator() {
    return Pace.throttle(Limits.parse("unlimited"));
  }
}
