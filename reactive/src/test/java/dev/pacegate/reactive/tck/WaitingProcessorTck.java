package dev.pacegate.reactive.tck;

import dev.pacegate.limit.Limit;
import dev.pacegate.reactive.Operator;
import dev.pacegate.reactive.Pace;
import org.testng.annotations.Test;

@Test
public class WaitingProcessorTck extends ProcessorRules {

  @Override
  Operator<Integer, Integer> operator() {
    return Pace.throttle(Limit.parse("spacing(20us)"));
  }
}
