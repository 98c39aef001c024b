package dev.pacegate.spring;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.Limiter;
import dev.pacegate.adapter.NotSentException;
import dev.pacegate.feedback.Feedback;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.core.io.buffer.DataBufferUtils;
import org.springframework.http.HttpMethod;
import org.springframework.http.client.reactive.ReactorClientHttpConnector;
import org.springframework.web.reactive.function.client.ClientRequest;
import org.springframework.web.reactive.function.client.ClientResponse;
import org.springframework.web.reactive.function.client.ExchangeFunction;
import org.springframework.web.reactive.function.client.ExchangeFunctions;
import org.springframework.web.reactive.function.client.WebClient;
import org.springframework.web.reactive.function.client.WebClientRequestException;
import org.springframework.web.reactive.function.client.WebClientResponseException;
import reactor.core.Disposable;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.netty.http.client.HttpClient;
import reactor.netty.resources.LoopResources;
import reactor.util.retry.Retry;

/** WebClient on one event loop, before a server that counts. */
@Timeout(60)
class PacedExchangeFilterTest {

  private static final Duration INTERVAL = Duration.ofMillis(100);
  private static final Duration LONG = Duration.ofSeconds(50);

  private final Peer peer;

  private final Limiter limiter = Limiter.of("peer(4/100ms, unanswered=1s)");

  private final LoopResources loop = LoopResources.create("test", 1, true);
  private final WebClient client = client(PacedExchangeFilter.of(limiter));

  PacedExchangeFilterTest() throws IOException {
    peer = new Peer();
  }

  @AfterEach
  void nothingIsLeft() throws Exception {
    Waiting.nothingIsLeft(limiter);
    peer.close();
    loop.disposeLater(Duration.ZERO, Duration.ofSeconds(2)).block(LONG);
    limiter.close();
    assertTrue(peer.mostIn(INTERVAL) <= 4, () -> "in an interval: " + peer.mostIn(INTERVAL));
  }

  private WebClient client(PacedExchangeFilter filter) {
    return plain(LONG).mutate().filter(filter).build();
  }

  private WebClient plain(Duration timeout) {
    return WebClient.builder().clientConnector(connector(timeout)).build();
  }

  private ReactorClientHttpConnector connector(Duration timeout) {
    return new ReactorClientHttpConnector(
        HttpClient.create().runOn(loop).disableRetry(true).responseTimeout(timeout));
  }

  private Mono<String> get(WebClient client, String path) {
    return client.get().uri(peer.uri(path)).retrieve().bodyToMono(String.class);
  }

  @Test
  void manyAtOnce() {
    peer.delay(10);
    var all = Flux.range(0, 16).flatMap(i -> get(client, "/ok"), 16).collectList().block(LONG);
    assertEquals(16, all == null ? 0 : all.size());
    assertEquals(16, peer.count());
  }

  @Test
  void waitersBlockNoEventLoop() throws Exception {
    var slow = Limiter.of("peer(1/1h)");
    var paced = client(PacedExchangeFilter.of(slow));
    get(paced, "/ok").block(LONG);
    Disposable waiters =
        get(plain(LONG), "/ok")
            .thenMany(Flux.range(0, 20).flatMap(i -> get(paced, "/ok")))
            .subscribe();
    Waiting.until(() -> slow.snapshot().waiting() == 20);
    assertEquals("answer", get(plain(LONG), "/ok").block(LONG));
    waiters.dispose();
    assertEquals(0, slow.snapshot().waiting());
    slow.close();
  }

  @Test
  void aTimeOutStaysSpent() throws Exception {
    WebClient hasty = plain(Duration.ofMillis(100));
    WebClient paced = hasty.mutate().filter(PacedExchangeFilter.of(limiter)).build();
    long began = System.nanoTime();
    Flux.range(0, 6).flatMap(i -> get(paced, "/stall").onErrorComplete(), 6).blockLast(LONG);
    Waiting.until(() -> peer.count() == 6);
    assertTrue(peer.countFrom(began + SECONDS.toNanos(1)) >= 2, "two wait for what is lost");
    peer.forget(); // a busy machine may count what was given up later than a second
  }

  @Test
  void cancellingLeavesTheQueueAndLosesWhatIsUnderWay() throws Exception {
    var slow = Limiter.of("peer(1/50ms, unanswered=1h)");
    var paced = client(PacedExchangeFilter.of(slow));
    Disposable first = get(paced, "/stall").subscribe();
    Waiting.until(() -> peer.count() == 1);
    Disposable second = get(paced, "/ok").subscribe();
    Waiting.until(() -> slow.snapshot().waiting() == 1);
    second.dispose();
    Waiting.until(() -> slow.snapshot().waiting() == 0);
    first.dispose();
    Waiting.nothingIsLeft(slow);
    assertTrue(slow.estimateWait(1).toMinutes() > 50, () -> slow.estimateWait(1).toString());
    assertEquals(1, peer.count());
    slow.close();
  }

  @Test
  void cancellingABodyLosesThePermit() throws Exception {
    var slow = Limiter.of("peer(1/50ms, unanswered=1h)");
    var begun = new AtomicInteger();
    Disposable body =
        client(PacedExchangeFilter.of(slow))
            .get()
            .uri(peer.uri("/half"))
            .exchangeToFlux(
                answer ->
                    answer
                        .body((message, context) -> message.getBody())
                        .doOnNext(DataBufferUtils::release))
            .subscribe(buffer -> begun.incrementAndGet());
    Waiting.until(() -> begun.get() == 1);
    assertEquals(1, slow.snapshot().open());
    body.dispose();
    Waiting.nothingIsLeft(slow);
    assertTrue(slow.estimateWait(1).toMinutes() > 50, () -> slow.estimateWait(1).toString());
    slow.close();
  }

  /** Cancels at random moments: a permit that comes just then must not be left open. */
  @Test
  void cancellingAtAnyMomentLeavesNothing() throws Exception {
    var quick = Limiter.of("peer(1/1ms, unanswered=1ms)");
    var paced = client(PacedExchangeFilter.of(quick));
    var over = new AtomicInteger();
    for (int i = 0; i < 100; i++) {
      Disposable one = get(paced, "/ok").doFinally(end -> over.incrementAndGet()).subscribe();
      if (i % 4 != 0) {
        Thread.onSpinWait();
        one.dispose();
      }
    }
    Waiting.until(() -> over.get() == 100);
    Waiting.nothingIsLeft(quick);
    quick.close();
    assertTrue(peer.count() >= 25);
    peer.forget(); // this limit is another one than the check at the end knows
  }

  /** Where an operator drops a response, its body is never subscribed to. */
  @Test
  void cancellingBeforeTheBodyIsReadLosesThePermit() throws Exception {
    var slow = Limiter.of("peer(1/50ms, unanswered=1h)");
    var got = new CompletableFuture<ClientResponse>();
    var request = ClientRequest.create(HttpMethod.GET, URI.create(peer.uri("/half"))).build();
    ExchangeFunction next = ExchangeFunctions.create(connector(LONG));
    PacedExchangeFilter.of(slow)
        .filter(request, next)
        .subscribe(
            new BaseSubscriber<ClientResponse>() {
              @Override
              protected void hookOnNext(ClientResponse response) {
                cancel();
                got.complete(response);
              }
            });
    got.get(50, TimeUnit.SECONDS);
    assertEquals(0, slow.snapshot().open());
    assertTrue(slow.estimateWait(1).toMinutes() > 50, () -> slow.estimateWait(1).toString());
    slow.close();
  }

  @Test
  void eachRetryTakesAPermit() {
    var feedback = Feedback.standard().pause(Duration.ZERO);
    var paced = client(PacedExchangeFilter.builder().limiter(limiter).feedback(feedback).build());
    for (int i = 0; i < 3; i++) {
      get(paced, "/fails").retryWhen(Retry.max(5)).block(LONG);
    }
    assertEquals(9, peer.count());
    assertEquals(9, limiter.snapshot().granted());
  }

  @Test
  void redirectsThatThePacedConnectorFollowsTakeAPermitEach() {
    var following =
        WebClient.builder().clientConnector(PacedRequestFactory.connector(limiter)).build();
    Flux.range(0, 8).flatMap(i -> get(following, "/redirect"), 8).blockLast(LONG);
    assertEquals(16, peer.count());
    assertEquals(16, limiter.snapshot().granted());
  }

  @Test
  void aBodyThatIsNotReadIsReleased() throws Exception {
    client.get().uri(peer.uri("/ok")).retrieve().toBodilessEntity().block(LONG);
    assertThrows(WebClientResponseException.class, () -> get(client, "/500").block(LONG));
    Waiting.nothingIsLeft(limiter);
  }

  @Test
  void waitsAtMostAsLongAsToldTo() {
    var slow = Limiter.of("peer(1/1h)");
    var impatient =
        client(PacedExchangeFilter.builder().limiter(slow).maxWait(Duration.ofSeconds(1)).build());
    get(impatient, "/ok").block(LONG);
    var failure =
        assertThrows(WebClientRequestException.class, () -> get(impatient, "/ok").block(LONG));
    var tooLong = assertInstanceOf(NotSentException.class, failure.getCause());
    assertTrue(tooLong.atLeast().orElseThrow().toMinutes() > 50, tooLong::getMessage);
    slow.close();
  }

  @Test
  void aRefusalPauses() {
    var feedback = Feedback.standard().pause(LONG).withoutLearning(); // which makes it short
    var patient = client(PacedExchangeFilter.builder().limiter(limiter).feedback(feedback).build());
    assertThrows(WebClientResponseException.class, () -> get(patient, "/429").block(LONG));
    assertEquals(1, limiter.snapshot().refusedByPeer());
    assertTrue(limiter.snapshot().paused());
  }
}
