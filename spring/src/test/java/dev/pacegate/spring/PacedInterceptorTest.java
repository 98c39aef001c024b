package dev.pacegate.spring;

import static java.util.Objects.requireNonNull;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.Limiter;
import dev.pacegate.adapter.NotSentException;
import dev.pacegate.feedback.Feedback;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.net.http.HttpClient;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.http.client.ClientHttpResponse;
import org.springframework.http.client.InterceptingClientHttpRequestFactory;
import org.springframework.http.client.JdkClientHttpRequestFactory;
import org.springframework.http.client.SimpleClientHttpRequestFactory;
import org.springframework.web.client.HttpServerErrorException;
import org.springframework.web.client.ResourceAccessException;
import org.springframework.web.client.RestClient;
import org.springframework.web.client.RestTemplate;

/** RestClient and RestTemplate before a server that counts. */
@Timeout(60)
class PacedInterceptorTest {

  private static final Duration INTERVAL = Duration.ofMillis(100);

  private final Peer peer;

  private final Limiter limiter = Limiter.of("peer(4/100ms, unanswered=1s)");

  private final RestClient client = client(PacedInterceptor.of(limiter), Duration.ofSeconds(20));

  PacedInterceptorTest() throws IOException {
    peer = new Peer();
  }

  @AfterEach
  void nothingIsLeft() throws Exception {
    peer.close();
    Waiting.nothingIsLeft(limiter);
    limiter.close();
    assertTrue(peer.mostIn(INTERVAL) <= 4, () -> "in an interval: " + peer.mostIn(INTERVAL));
  }

  private static RestClient client(PacedInterceptor interceptor, Duration timeout) {
    var factory = new SimpleClientHttpRequestFactory();
    factory.setReadTimeout(timeout);
    return RestClient.builder().requestFactory(factory).requestInterceptor(interceptor).build();
  }

  private @Nullable String get(RestClient client, String path) {
    return client.get().uri(peer.uri(path)).retrieve().body(String.class);
  }

  @Test
  void restClient() throws Exception {
    peer.delay(10);
    Waiting.atOnce(8, 2, () -> get(client, "/ok"));
    assertEquals(16, peer.count());
  }

  @Test
  void restTemplate() throws Exception {
    var template = new RestTemplate(new SimpleClientHttpRequestFactory());
    template.getInterceptors().add(PacedInterceptor.of(limiter));
    Waiting.atOnce(4, 3, () -> template.getForObject(peer.uri("/ok"), String.class));
    assertEquals(12, peer.count());
  }

  @Test
  void anAnswerWhoseBodyIsNotRead() throws Exception {
    client.get().uri(peer.uri("/ok")).retrieve().toBodilessEntity();
    assertThrows(HttpServerErrorException.class, () -> get(client, "/500"));
    Waiting.nothingIsLeft(limiter);
    assertEquals(0, limiter.snapshot().refusedByPeer());
  }

  @Test
  void aStreamThatTheCallerKeepsAndCloses() throws Exception {
    var slow = Limiter.of("peer(1/50ms, unanswered=1h)");
    RestClient once = client(PacedInterceptor.of(slow), Duration.ofSeconds(20));
    for (int i = 0; i < 2; i++) {
      InputStream body =
          once.get()
              .uri(peer.uri("/ok"))
              .exchange((request, response) -> response.getBody(), false);
      requireNonNull(body).close();
      body.close();
      Waiting.nothingIsLeft(slow);
    }
    assertEquals(0, slow.snapshot().lost());
    slow.close();
  }

  @Test
  void aTimeOutStaysSpent() throws Exception {
    RestClient hasty = client(PacedInterceptor.of(limiter), Duration.ofMillis(100));
    long began = System.nanoTime();
    Waiting.atOnce(
        6, 1, () -> assertThrows(ResourceAccessException.class, () -> get(hasty, "/stall")));
    Waiting.until(() -> peer.count() == 6);
    assertTrue(peer.countFrom(began + SECONDS.toNanos(1)) >= 2, "two wait for what is lost");
    peer.forget(); // a busy machine may count what was given up later than a second
  }

  @Test
  void aBodyThatStopsIsLost() throws Exception {
    var slow = Limiter.of("peer(1/50ms, unanswered=1h)");
    var once = RestClient.builder().requestInterceptor(PacedInterceptor.of(slow)).build();
    var begun = new CountDownLatch(1);
    var reader =
        CompletableFuture.supplyAsync(
            () -> once.get().uri(peer.uri("/half")).exchange((sent, answer) -> all(answer, begun)));
    assertTrue(begun.await(20, TimeUnit.SECONDS));
    peer.close();
    assertThrows(Exception.class, () -> reader.get(10, TimeUnit.SECONDS));
    Waiting.nothingIsLeft(slow);
    assertTrue(slow.estimateWait(1).toMinutes() > 50, () -> slow.estimateWait(1).toString());
    slow.close();
  }

  private static byte[] all(ClientHttpResponse answer, CountDownLatch begun) throws IOException {
    answer.getBody().read();
    begun.countDown();
    return answer.getBody().readAllBytes();
  }

  /** Spring 6 leaves later interceptors out of what an interceptor repeats: so ours is below. */
  @Test
  void eachRetryOfAnotherInterceptorTakesAPermit() {
    var paced =
        PacedInterceptor.builder()
            .limiter(limiter)
            .feedback(Feedback.standard().pause(Duration.ZERO))
            .build();
    var below =
        new InterceptingClientHttpRequestFactory(new JdkClientHttpRequestFactory(), List.of(paced));
    RestClient retrying =
        RestClient.builder()
            .requestFactory(below)
            .requestInterceptor(
                (request, body, execution) -> {
                  var answer = execution.execute(request, body);
                  while (answer.getStatusCode().value() == 503) {
                    answer.close();
                    answer = execution.execute(request, body);
                  }
                  return answer;
                })
            .build();
    for (int i = 0; i < 3; i++) {
      assertEquals("answer", get(retrying, "/fails"));
    }
    assertEquals(9, peer.count());
    assertEquals(9, limiter.snapshot().granted());
  }

  @Test
  void redirectsThatTheProgramFollowsTakeAPermitEach() {
    RestClient direct =
        RestClient.builder()
            .requestFactory(new JdkClientHttpRequestFactory()) // follows none
            .requestInterceptor(PacedInterceptor.of(limiter))
            .build();
    for (int i = 0; i < 4; i++) {
      var answer = direct.get().uri(peer.uri("/redirect")).retrieve().toBodilessEntity();
      assertEquals(302, answer.getStatusCode().value());
      assertEquals("/ok", String.valueOf(answer.getHeaders().getLocation()));
      get(client, "/ok");
    }
    assertEquals(8, limiter.snapshot().granted());
  }

  @Test
  void redirectsThatThePacedFactoryFollowsTakeAPermitEach() throws Exception {
    var following = RestClient.builder().requestFactory(PacedRequestFactory.of(limiter)).build();
    Waiting.atOnce(4, 2, () -> get(following, "/redirect"));
    assertEquals(16, peer.count());
    assertEquals(16, limiter.snapshot().granted());
  }

  /** The reason for the paced factory: what a client follows by itself no interceptor sees. */
  @Test
  void redirectsThatTheClientFollowsAreNotSeen() {
    var factory =
        new JdkClientHttpRequestFactory(
            HttpClient.newBuilder().followRedirects(HttpClient.Redirect.NORMAL).build());
    get(
        RestClient.builder()
            .requestFactory(factory)
            .requestInterceptor(PacedInterceptor.of(limiter))
            .build(),
        "/redirect");
    assertEquals(2, peer.count());
    assertEquals(1, limiter.snapshot().granted());
  }

  @Test
  void anInterruptLeavesTheQueue() throws Exception {
    for (int i = 0; i < 4; i++) {
      get(client, "/ok");
    }
    var slow = Limiter.of("peer(1/1h)");
    slow.acquire().answered();
    var waiting = client(PacedInterceptor.of(slow), Duration.ofSeconds(20));
    var failure = new CompletableFuture<Throwable>();
    var thread =
        new Thread(
            () -> failure.complete(assertThrows(Exception.class, () -> get(waiting, "/ok"))));
    thread.start();
    Waiting.until(() -> slow.snapshot().waiting() == 1);
    thread.interrupt();
    Throwable thrown = failure.get(10, TimeUnit.SECONDS);
    assertInstanceOf(InterruptedIOException.class, thrown.getCause(), thrown::toString);
    Waiting.nothingIsLeft(slow);
    assertEquals(4, peer.count());
    slow.close();
  }

  @Test
  void waitsAtMostAsLongAsToldTo() {
    var slow = Limiter.of("peer(1/1h)");
    var impatient =
        client(
            PacedInterceptor.builder().limiter(slow).maxWait(Duration.ofSeconds(1)).build(),
            Duration.ofSeconds(20));
    get(impatient, "/ok");
    var failure = assertThrows(ResourceAccessException.class, () -> get(impatient, "/ok"));
    var tooLong = assertInstanceOf(NotSentException.class, failure.getCause());
    assertTrue(tooLong.atLeast().orElseThrow().toMinutes() > 50, tooLong::getMessage);
    slow.close();
  }

  @Test
  void aRefusalPauses() {
    var feedback = // learning makes pauses short
        Feedback.standard().pause(Duration.ofSeconds(50)).withoutLearning();
    var patient =
        client(
            PacedInterceptor.builder().limiter(limiter).feedback(feedback).build(),
            Duration.ofSeconds(20));
    assertThrows(Exception.class, () -> get(patient, "/429"));
    assertEquals(1, limiter.snapshot().refusedByPeer());
    assertTrue(limiter.snapshot().paused());
  }
}
