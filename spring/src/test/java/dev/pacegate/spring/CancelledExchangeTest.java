package dev.pacegate.spring;

import static java.util.Objects.requireNonNull;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.Limiter;
import dev.pacegate.PeerAnswer;
import dev.pacegate.Permit;
import dev.pacegate.feedback.Feedback;
import dev.pacegate.time.ManualTime;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.core.io.buffer.DefaultDataBufferFactory;
import org.springframework.http.HttpMethod;
import org.springframework.http.HttpStatus;
import org.springframework.http.HttpStatusCode;
import org.springframework.web.reactive.function.BodyExtractors;
import org.springframework.web.reactive.function.client.ClientRequest;
import org.springframework.web.reactive.function.client.ClientResponse;
import reactor.core.Disposable;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/** A request of WebClient that is cancelled, whenever that is: nothing is left open or waiting. */
@Timeout(60)
class CancelledExchangeTest {

  private static final ClientRequest REQUEST =
      ClientRequest.create(HttpMethod.GET, URI.create("http://localhost/")).build();

  private final Limiter limiter =
      Limiter.builder("peer(1/1s, margin=0s, unanswered=10s)")
          .time(ManualTime.manual())
          .executor(Runnable::run)
          .build();

  private final List<Sinks.One<ClientResponse>> exchanges = new ArrayList<>();
  private final Sinks.Many<DataBuffer> body = Sinks.many().unicast().onBackpressureBuffer();
  private @Nullable ClientResponse received;

  @AfterEach
  void nothingIsLeft() {
    assertEquals(0, limiter.snapshot().open());
    assertEquals(0, limiter.snapshot().waiting());
  }

  private Disposable send() {
    return exchanged().subscribe(it -> received = it);
  }

  private Mono<ClientResponse> exchanged() {
    var filter =
        PacedExchangeFilter.builder()
            .limiter(limiter)
            .feedback(Feedback.standard().pause(Duration.ZERO).withoutLearning())
            .refused(response -> PeerAnswer.NOTHING)
            .retryRefused(1)
            .build();
    return filter.filter(REQUEST, request -> exchange());
  }

  private Mono<ClientResponse> exchange() {
    Sinks.One<ClientResponse> sent = Sinks.one();
    exchanges.add(sent);
    return sent.asMono();
  }

  private void answer(HttpStatusCode status, String type) {
    ClientResponse response =
        ClientResponse.create(status).header("Content-Type", type).body(body.asFlux()).build();
    exchanges.get(0).tryEmitValue(response);
  }

  private void bodyPart() {
    byte[] bytes = "part".getBytes(StandardCharsets.US_ASCII);
    body.tryEmitNext(DefaultDataBufferFactory.sharedInstance.wrap(bytes));
  }

  private void assertLost() {
    assertEquals(Duration.ofSeconds(11), limiter.estimateWait(1));
  }

  @Test
  void whileItWaits() {
    Permit before = limiter.tryAcquire().orElseThrow();
    Disposable request = send();
    assertEquals(1, limiter.snapshot().waiting());
    request.dispose();
    before.notSent();
    assertTrue(exchanges.isEmpty(), "not sent");
    assertEquals(Duration.ZERO, limiter.estimateWait(1));
  }

  @Test
  void whenItIsSent() {
    Disposable request = send();
    assertEquals(1, exchanges.size());
    request.dispose();
    assertLost();
  }

  @Test
  void whileItsBodyIsCollected() {
    Disposable request = send();
    answer(HttpStatus.OK, "application/json");
    bodyPart();
    assertEquals(1, limiter.snapshot().open());
    request.dispose();
    assertEquals(0, body.currentSubscriberCount(), "the connection is released");
    assertLost();
  }

  @Test
  void whileTheCallerReadsAStream() {
    send();
    answer(HttpStatus.OK, "text/event-stream");
    Disposable reading =
        received == null
            ? null
            : received.body(BodyExtractors.toDataBuffers()).subscribe(part -> {});
    bodyPart();
    assertEquals(1, limiter.snapshot().open());
    if (reading != null) {
      reading.dispose();
    }
    assertEquals(0, body.currentSubscriberCount());
    assertLost();
  }

  @Test
  void whileARefusalIsDrained() {
    Disposable request = send();
    answer(HttpStatus.TOO_MANY_REQUESTS, "text/event-stream");
    bodyPart();
    request.dispose();
    assertEquals(0, body.currentSubscriberCount());
    assertEquals(1, exchanges.size(), "not sent again");
  }

  @Test
  void whileItWaitsToBeSentAgain() {
    Disposable request = send();
    answer(HttpStatus.TOO_MANY_REQUESTS, "application/json");
    body.tryEmitComplete();
    assertEquals(1, limiter.snapshot().waiting());
    request.dispose();
    assertEquals(1, exchanges.size(), "not sent again");
    assertEquals(Duration.ofSeconds(1), limiter.estimateWait(1), "answered");
  }

  /** Operators such as {@code take(1)} cancel so. */
  private final class CancelsAtTheResponse extends BaseSubscriber<ClientResponse> {
    @Override
    protected void hookOnNext(ClientResponse response) {
      received = response;
      cancel();
    }
  }

  @Test
  void asTheResponseComesAndItsBodyIsNotRead() {
    exchanged().subscribe(new CancelsAtTheResponse());
    answer(HttpStatus.OK, "text/event-stream");
    assertLost();
  }

  /** The permit has ended before anything tells that the body will be read: lost is safe. */
  @Test
  void asTheResponseComesAlthoughItsBodyIsReadLater() {
    exchanged().subscribe(new CancelsAtTheResponse());
    answer(HttpStatus.OK, "text/event-stream");
    bodyPart();
    body.tryEmitComplete();
    var read = requireNonNull(received).bodyToMono(String.class).block(Duration.ofSeconds(50));
    assertEquals("part", read);
    assertLost();
  }
}
