package dev.pacegate.reactive.tck;

import dev.pacegate.Limiter;
import dev.pacegate.reactive.Concurrency;
import dev.pacegate.reactive.Operator;
import dev.pacegate.reactive.Pace;
import java.util.concurrent.CompletableFuture;
import org.testng.annotations.Test;

@Test
public class MapUnorderedProcessorTck extends ProcessorRules {

  @Override
  Operator<Integer, Integer> operator() {
    return Pace.mapThrottled(
        Limiter.of("unlimited"), CompletableFuture::completedFuture, Concurrency.unordered(4));
  }
}
