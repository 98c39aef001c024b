package dev.pacegate.reactive;

import dev.pacegate.Limiter;
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
