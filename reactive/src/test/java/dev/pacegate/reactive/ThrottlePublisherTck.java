package dev.pacegate.reactive;

import dev.pacegate.limit.Limit;
import org.testng.annotations.Test;

@Test
public class ThrottlePublisherTck extends PublisherRules {

  @Override
  Operator<Integer, Integer> operator() {
    return Pace.throttle(Limit.parse("unlimited"));
  }
}
