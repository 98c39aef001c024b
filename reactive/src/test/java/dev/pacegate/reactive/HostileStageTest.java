package dev.pacegate.reactive;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.Limiter;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whatever the stage of a function does, the stream goes on or fails, and the permit ends. */
class HostileStageTest {

  private static final Duration AFTER_AN_ANSWER = Duration.ofSeconds(1);
  private static final Duration AFTER_A_LOSS = Duration.ofSeconds(11);

  private final Bench bench = new Bench();
  private final Limiter limiter = bench.limiter("peer(1/1s, margin=0s, unanswered=10s)");

  /** Returns a stage all of whose methods throw but the one that takes the callback. */
  @SuppressWarnings("unchecked")
  private static CompletionStage<Integer> stage(Consumer<BiConsumer<Integer, Throwable>> conduct) {
    return (CompletionStage<Integer>)
        Proxy.newProxyInstance(
            HostileStageTest.class.getClassLoader(),
            new Class<?>[] {CompletionStage.class},
            (stage, method, arguments) -> {
              if (method.getName().equals("whenComplete")) {
                conduct.accept((BiConsumer<Integer, Throwable>) arguments[0]);
                return null;
              }
              throw new AssertionError("thrown by a test: " + method.getName());
            });
  }

  private static Concurrency concurrency(boolean ordered) {
    return ordered ? Concurrency.ordered(2) : Concurrency.unordered(2);
  }

  private void assertEnded(Duration wait) {
    assertEquals(0, limiter.snapshot().open());
    assertEquals(wait, limiter.estimateWait(1));
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aStageThatThrowsFailsTheStreamAndLosesThePermit(boolean ordered) {
    for (Throwable mine : List.of(new IllegalStateException(), new StackOverflowError())) {
      var mapped =
          Pace.<Integer, Integer>mapThrottled(
              limiter, element -> stage(listener -> sneak(mine)), concurrency(ordered));
      var sink = bench.sink(mapped.apply(Source.of(1))).request(9);
      assertSame(mine, sink.failure);
      assertEnded(AFTER_A_LOSS);
      bench.advance(AFTER_A_LOSS.toMillis());
    }
  }

  private static void sneak(Throwable failure) {
    if (failure instanceof Error error) {
      throw error;
    }
    throw (RuntimeException) failure;
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aSecondEndOfAStageChangesNothing(boolean ordered) {
    List<Consumer<BiConsumer<Integer, Throwable>>> more =
        List.of(
            listener -> listener.accept(2, null),
            listener -> listener.accept(null, new IllegalStateException()),
            listener -> sneak(new IllegalStateException()));
    for (var second : more) {
      var mapped =
          Pace.<Integer, Integer>mapThrottled(
              limiter,
              element ->
                  stage(
                      listener -> {
                        listener.accept(element, null);
                        second.accept(listener);
                      }),
              concurrency(ordered));
      var sink = bench.sink(mapped.apply(Source.of(1))).request(9);
      assertEquals(List.of(1), sink.elements);
      assertTrue(sink.completed);
      assertEnded(AFTER_AN_ANSWER);
      bench.advance(AFTER_AN_ANSWER.toMillis());
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aStreamMayBeCancelledWhoseStagesThrow(boolean ordered) {
    var listeners = new ArrayList<BiConsumer<Integer, Throwable>>();
    var mapped =
        Pace.<Integer, Integer>mapThrottled(
            limiter, element -> stage(listeners::add), concurrency(ordered));
    var source = new Source<Integer>();
    var sink = bench.sink(mapped.apply(source)).request(9);
    source.send(1);
    assertEquals(1, listeners.size());
    sink.cancel();
    assertTrue(source.cancelled, "the stage that cannot be cancelled stops nothing");
    listeners.get(0).accept(1, null);
    assertEnded(AFTER_AN_ANSWER);
    assertEquals(List.of(), sink.elements);
  }
}
