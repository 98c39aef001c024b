package dev.pacegate.reactive;

import dev.pacegate.limit.Limit;
import org.testng.annotations.Test;

@Test
public class EnforcePublisherTck extends PublisherRules {

  @Override
  Operator<Integer, Integer> operator() {
    return Pace.enforce(Limit.parse("unlimited"));
  }
}
