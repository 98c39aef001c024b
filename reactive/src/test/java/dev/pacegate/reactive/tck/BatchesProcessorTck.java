package dev.pacegate.reactive.tck;

import dev.pacegate.reactive.Operator;
import dev.pacegate.reactive.Pace;
import java.time.Duration;
import org.testng.annotations.Test;

@Test
public class BatchesProcessorTck extends ProcessorRules {

  @Override
  Operator<Integer, Integer> operator() {
    return OneByOne.of(Pace.pacedBatches(Duration.ofNanos(20_000), 1));
  }
}
