package dev.pacegate.reactive;

import dev.pacegate.Limiter;
import java.util.concurrent.CompletableFuture;
import org.testng.annotations.Test;

@Test
public class MapUnorderedPublisherTck extends PublisherRules {

  @Override
  Operator<Integer, Integer> operator() {
    return Pace.mapThrottled(
        Limiter.of("unlimited"), CompletableFuture::completedFuture, Concurrency.unordered(4));
  }
}
