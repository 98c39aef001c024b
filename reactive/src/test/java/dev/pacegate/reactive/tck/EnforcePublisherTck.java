package dev.pacegate.reactive.tck;

import dev.pacegate.limit.Limits;
import dev.pacegate.reactive.Operator;
import dev.pacegate.reactive.Pace;
import org.testng.annotations.Test;

@Test
public class EnforcePublisherTck extends PublisherRules {

  @Override
  Operator<Integer, Integer> operator() {
    return Pace.enforce(Limits.parse("unlimited"));
  }
}
