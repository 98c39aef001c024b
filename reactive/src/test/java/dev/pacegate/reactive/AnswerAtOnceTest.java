package dev.pacegate.reactive;

import static java.util.concurrent.CompletableFuture.completedFuture;
import static java.util.concurrent.CompletableFuture.failedFuture;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.Limiter;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/** {@code mapThrottled} with a function whose stage holds its answer when it returns. */
class AnswerAtOnceTest {

  private final Bench bench = new Bench();
  private final Source<Integer> source = new Source<>();
  private final Limiter limiter = bench.limiter("concurrent(2)");

  private Sink<String> sink(
      Function<Integer, CompletionStage<String>> function, Concurrency concurrency) {
    return bench.sink(
        Pace.<Integer, String>mapThrottled(limiter, function, concurrency).apply(source));
  }

  @Test
  void isPassedOnOnlyOnDemand() {
    for (Concurrency two : List.of(Concurrency.ordered(2), Concurrency.unordered(2))) {
      var upstream = new Source<Integer>();
      var mapped =
          Pace.<Integer, String>mapThrottled(limiter, e -> completedFuture("at once " + e), two);
      var sink = bench.sink(mapped.apply(upstream)).request(1);
      upstream.send(1, 2, 3);
      upstream.complete();
      assertEquals(List.of("at once 1"), sink.elements);
      sink.request(2);
      assertEquals(List.of("at once 1", "at once 2", "at once 3"), sink.elements);
      assertTrue(sink.completed);
      assertEquals(0, limiter.snapshot().open());
    }
  }

  @Test
  void doesNotOvertakeAnEarlierOne() {
    var first = new CompletableFuture<String>();
    var sink =
        sink(e -> e == 1 ? first : completedFuture("at once " + e), Concurrency.ordered(2))
            .request(9);
    source.send(1, 2);
    assertEquals(List.of(), sink.elements);
    first.complete("later");
    assertEquals(List.of("later", "at once 2"), sink.elements);
    assertEquals(0, limiter.snapshot().open());
  }

  @Test
  void isNotPassedOnAfterDownstreamHasCancelled() {
    var self = new ArrayList<Sink<String>>();
    Function<Integer, CompletionStage<String>> cancels =
        element -> {
          self.get(0).cancel();
          return completedFuture("at once");
        };
    self.add(sink(cancels, Concurrency.ordered(2)));
    self.get(0).request(9);
    source.send(1);
    assertEquals(List.of(), self.get(0).elements);
    assertEquals(0, limiter.snapshot().open());
  }

  @Test
  void mayBeAFailure() {
    var failure = new IllegalStateException();
    var sink = sink(e -> failedFuture(failure), Concurrency.ordered(2)).request(9);
    source.send(1);
    assertSame(failure, sink.failure);
    assertEquals(0, limiter.snapshot().open());
  }
}
