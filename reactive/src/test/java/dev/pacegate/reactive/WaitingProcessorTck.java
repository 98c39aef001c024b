package dev.pacegate.reactive;

import dev.pacegate.limit.Limit;
import org.testng.annotations.Test;

@Test
public class WaitingProcessorTck extends ProcessorRules {

  @Override
  Operator<Integer, Integer> operator() {
    return Pace.throttle(Limit.parse("spacing(20us)"));
  }
}
