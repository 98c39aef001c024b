package dev.pacegate.reactive;

import dev.pacegate.limit.Limit;
import org.testng.annotations.Test;

@Test
public class EnforceProcessorTck extends ProcessorRules {

  @Override
  Operator<Integer, Integer> operator() {
    return Pace.enforce(Limit.parse("unlimited"));
  }
}
