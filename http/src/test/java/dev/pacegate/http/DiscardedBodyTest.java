package dev.pacegate.http;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Flow;
import org.junit.jupiter.api.Test;

/** In which order a body that is read no further ends. */
class DiscardedBodyTest {

  private final List<String> order = new ArrayList<>();
  private final DiscardedBody<String> body =
      new DiscardedBody<>(Duration.ofMinutes(1), () -> order.add("permit"));

  DiscardedBodyTest() {
    body.getBody().thenRun(() -> order.add("body"));
    body.onSubscribe(
        new Flow.Subscription() {
          @Override
          public void request(long n) {}

          @Override
          public void cancel() {
            order.add("connection");
          }
        });
  }

  /** The call goes on when the body is complete, and may ask for a permit then. */
  @Test
  void thePermitEndsBeforeTheBodyAndThatBeforeTheConnection() {
    body.onNext(List.of(ByteBuffer.allocate(DiscardedBody.MOST_BYTES)));
    assertEquals(List.of(), order);
    body.onNext(List.of(ByteBuffer.allocate(1)));
    assertEquals(List.of("permit", "body", "connection"), order);
  }

  @Test
  void aBodyReadToItsEndIsNotCancelled() {
    body.onNext(List.of(ByteBuffer.allocate(1)));
    body.onComplete();
    assertEquals(List.of("body"), order);
  }
}
