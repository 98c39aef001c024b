package dev.pacegate.reactive.tck;

import dev.pacegate.reactive.Operator;
import dev.pacegate.reactive.Pace;
import java.time.Duration;
import org.testng.annotations.Test;

@Test
public class PulsePublisherTck extends PublisherRules {

  @Override
  Operator<Integer, Integer> operator() {
    return Pace.pulse(Duration.ofNanos(20_000));
  }
}
