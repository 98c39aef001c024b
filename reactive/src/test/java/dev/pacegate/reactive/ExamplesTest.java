package dev.pacegate.reactive;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.pacegate.Limiter;
import dev.pacegate.limit.Cost;
import io.reactivex.rxjava3.core.Flowable;
import io.smallrye.mutiny.Multi;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.concurrent.SubmissionPublisher;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.reactivestreams.FlowAdapters;
import reactor.core.publisher.Flux;

/** One line from each library: the snippets of the documentation, compiled and run. */
class ExamplesTest {

  /** A message of a broker: the offset is what the acknowledgement needs. */
  record Message(String text, long offset) {}

  private final Limiter limiter = Limiter.of("1000/1s");

  @Test
  void reactor() {
    var sent = Flux.just("a", "b", "c").transform(Pace.throttle(limiter)).collectList().block();
    assertEquals(List.of("a", "b", "c"), sent);
  }

  @Test
  void reactorPacesCallsAndKeepsOffsetsAsContext() {
    var acknowledged =
        Flux.just(new Message("a", 41), new Message("b", 42), new Message("c", 43))
            .transform(
                Pace.mapThrottled(
                    limiter, message -> send(message.text()).thenApply(done -> message.offset())))
            .collectList()
            .block();
    assertEquals(List.of(41L, 42L, 43L), acknowledged);
  }

  @Test
  void reactorKeepsTheOffsetWithItsElement() {
    var messages = List.of(new Message("a", 41), new Message("bb", 42), new Message("ccc", 43));
    var sent =
        Flux.fromIterable(messages)
            .transform(Pace.throttle(limiter, message -> Cost.of(message.text().length())))
            .collectList()
            .block();
    assertEquals(messages, sent);
  }

  @Test
  void rxJava() {
    var sent = Flowable.just("a", "b", "c").compose(Pace.<String>throttle(limiter)::apply);
    assertEquals(List.of("a", "b", "c"), sent.toList().blockingGet());
  }

  @Test
  void mutiny() {
    Multi<String> messages = Multi.createFrom().items("a", "b", "c");
    var sent = Multi.createFrom().publisher(Pace.<String>throttle(limiter).applyTo(messages));
    assertEquals(List.of("a", "b", "c"), sent.collect().asList().await().indefinitely());
  }

  @Test
  void flow() {
    try (var messages = new SubmissionPublisher<String>()) {
      Flow.Publisher<String> sent = Pace.<String>throttle(limiter).applyTo(messages);
      var collected =
          CompletableFuture.supplyAsync(
              () ->
                  Flux.from(FlowAdapters.toPublisher(sent))
                      .toStream()
                      .collect(Collectors.toList()));
      while (messages.getNumberOfSubscribers() == 0) {
        Thread.onSpinWait();
      }
      List.of("a", "b", "c").forEach(messages::submit);
      messages.close();
      assertEquals(List.of("a", "b", "c"), collected.join());
    }
  }

  private static CompletionStage<Void> send(String text) {
    return CompletableFuture.runAsync(() -> assertEquals(1, text.length()));
  }
}
