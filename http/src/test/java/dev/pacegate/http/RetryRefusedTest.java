package dev.pacegate.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.Limiter;
import dev.pacegate.adapter.tck.RawServer;
import dev.pacegate.feedback.AnswerReader;
import dev.pacegate.feedback.Feedback;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.Authenticator;
import java.net.PasswordAuthentication;
import java.net.http.HttpClient;
import java.net.http.HttpClient.Redirect;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What the peer refused is sent again, if asked for. */
@Timeout(60)
class RetryRefusedTest extends PacedHttpCases {

  private static final Feedback SOON = Feedback.standard().pause(Duration.ofMillis(20));

  private PacedHttpClient client(UnaryOperator<PacedHttpClient.Builder> options) {
    return options.apply(PacedHttpClient.builder(plain()).limiter(limiter).feedback(SOON)).build();
  }

  /** Refuses so many requests, and answers the others with the request's body. */
  private RawServer refusing(int times, int status, String... headers) throws IOException {
    var left = new AtomicInteger(times);
    return server(
        (request, connection) -> {
          if (left.getAndDecrement() > 0) {
            connection.status(status, headers);
          } else {
            connection.ok("body " + request.body());
          }
        });
  }

  private static HttpResponse<String> send(HttpClient client, HttpRequest request, boolean async)
      throws Exception {
    return async ? client.sendAsync(request, BodyHandlers.ofString()).get() : send(client, request);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aRefusedRequestGoesAgainWhenTheAnswerSays(boolean async) throws Exception {
    RawServer server = refusing(1, 429, "retry-after-ms: 200");
    HttpResponse<String> answer =
        send(client(it -> it.retryRefused(3)), get(server.uri("/")), async);
    assertEquals(200, answer.statusCode());
    assertEquals(429, answer.previousResponse().orElseThrow().statusCode());
    List<Long> arrivals = server.instants();
    assertEquals(2, arrivals.size());
    assertTrue(arrivals.get(1) - arrivals.get(0) >= 199_000_000L, arrivals::toString);
    assertGranted(2);
    assertEquals(1, limiter.snapshot().refusedByPeer());
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void theLastRefusalIsReturnedWithItsBody(boolean async) throws Exception {
    RawServer server =
        server(
            (request, connection) ->
                connection.write("HTTP/1.1 429 X\r\nContent-Length: 4\r\n\r\nwhy?"));
    HttpResponse<String> answer =
        send(client(it -> it.retryRefused(2)), get(server.uri("/")), async);
    assertEquals(429, answer.statusCode());
    assertEquals("why?", answer.body());
    assertEquals(3, server.arrivals());
    assertGranted(3);
  }

  @Test
  void withoutItNothingGoesAgain() throws Exception {
    RawServer server = refusing(1, 429);
    assertEquals(429, send(client(it -> it), get(server.uri("/"))).statusCode());
    assertEquals(1, server.arrivals());
    assertGranted(1);
  }

  @ParameterizedTest
  @CsvSource({
    "GET, 2",
    "HEAD, 2",
    "PUT, 2",
    "DELETE, 2",
    "OPTIONS, 2",
    "TRACE, 2",
    "POST, 1",
    "PATCH, 1",
    "REPORT, 1"
  })
  void onlyIdempotentMethodsGoAgain(String method, int sent) throws Exception {
    RawServer server = refusing(1, 429);
    boolean withBody = method.startsWith("P") || method.equals("REPORT");
    HttpRequest request =
        HttpRequest.newBuilder(server.uri("/"))
            .method(method, withBody ? BodyPublishers.ofString("x") : BodyPublishers.noBody())
            .build();
    send(client(it -> it.retryRefused(3)), request);
    assertEquals(sent, server.arrivals());
    assertGranted(sent);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aPostGoesAgainIfToldSo(boolean async) throws Exception {
    RawServer server = refusing(2, 429);
    HttpResponse<String> answer =
        send(
            client(it -> it.retryRefused(3, request -> true)),
            post(server.uri("/"), "hello"),
            async);
    assertEquals("body hello", answer.body());
    assertEquals(3, server.arrivals());
    assertGranted(3);
  }

  @Test
  void aChoiceMayAlsoKeepAGetFromGoingAgain() throws Exception {
    RawServer server = refusing(1, 429);
    HttpClient client = client(it -> it.retryRefused(3, request -> false));
    assertEquals(429, send(client, get(server.uri("/"))).statusCode());
    assertGranted(1);
  }

  private int arrivals(BodyPublisher body) throws Exception {
    RawServer server = refusing(1, 429);
    HttpRequest put = HttpRequest.newBuilder(server.uri("/")).PUT(body).build();
    HttpResponse<String> answer = send(client(it -> it.retryRefused(3)), put);
    if (server.arrivals() == 2) {
      assertEquals("body again", answer.body());
    } else {
      assertEquals(429, answer.statusCode());
    }
    untilQuiet(limiter);
    return server.arrivals();
  }

  /** Fails if a JDK names its publishers otherwise: then bodies of that kind would not go again. */
  @Test
  @Tag("jdk")
  void onlyBodiesThatAreTheSameEachTimeGoAgain(@TempDir Path folder) throws Exception {
    byte[] again = {'a', 'g', 'a', 'i', 'n'};
    Path file = Files.write(folder.resolve("body"), again);
    assertEquals(2, arrivals(BodyPublishers.ofString("again")));
    assertEquals(2, arrivals(BodyPublishers.ofByteArray(again)));
    assertEquals(2, arrivals(BodyPublishers.ofFile(file)));
    var once = new ByteArrayInputStream(again);
    assertEquals(1, arrivals(BodyPublishers.ofInputStream(() -> once)));
    assertEquals(1, arrivals(BodyPublishers.ofByteArrays(List.of(again))));
    assertEquals(
        1, arrivals(BodyPublishers.fromPublisher(BodyPublishers.ofString("again"), again.length)));
  }

  @ParameterizedTest
  @CsvSource({
    "429, 'X: y', 2",
    "429, 'Retry-After: 0', 2",
    "503, 'X: y', 1",
    "503, 'Retry-After: 0', 1", // no time is named
    "503, 'Retry-After: 1', 2",
    "500, 'Retry-After: 0', 1",
    "403, 'X: y', 1"
  })
  void anAnswerThatIsNoRefusalIsReturned(int status, String header, int sent) throws Exception {
    RawServer server = refusing(1, status, header);
    send(client(it -> it.retryRefused(3)), get(server.uri("/")));
    assertEquals(sent, server.arrivals());
    assertGranted(sent);
  }

  @Test
  void aReaderDecidesWhichAnswersAreRefusals() throws Exception {
    RawServer server = refusing(1, 403);
    Feedback own = SOON.reader(AnswerReader.refusals(403));
    HttpClient client = client(it -> it.feedback(own).retryRefused(3));
    assertEquals(200, send(client, get(server.uri("/"))).statusCode());
    assertGranted(2);
  }

  /** At once: a wait as long as it is allowed would end the test. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aRefusalForTooLongIsReturnedAtOnce(boolean async) throws Exception {
    RawServer server = refusing(1, 429, "Retry-After: 3000");
    HttpClient bounded = client(it -> it.retryRefused(3).maxWait(Duration.ofSeconds(2_000)));
    assertEquals(429, send(bounded, get(server.uri("/")), async).statusCode());
    limiter.resume();
    RawServer other = refusing(1, 429, "Retry-After: 3000");
    HttpClient timed = client(it -> it.retryRefused(3).maxWaitFromTimeout());
    HttpRequest request =
        HttpRequest.newBuilder(other.uri("/")).timeout(Duration.ofSeconds(2_000)).build();
    assertEquals(429, send(timed, request, async).statusCode());
    assertEquals(1, server.arrivals());
    assertEquals(1, other.arrivals());
    assertGranted(2);
  }

  /** One deadline holds for all retries: the third would come in time for a new one. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void retriesStopAtTheTimeoutOfTheRequest(boolean async) throws Exception {
    var first = new AtomicInteger(1);
    RawServer server =
        server(
            (request, connection) -> {
              if (first.getAndDecrement() > 0) {
                connection.status(429);
              } else {
                Thread.sleep(300); // more than the time-out is longer than the wait
                connection.status(429, "retry-after-ms: 19800");
              }
            });
    HttpClient client = client(it -> it.retryRefused(9).maxWaitFromTimeout());
    HttpRequest request =
        HttpRequest.newBuilder(server.uri("/")).timeout(Duration.ofSeconds(20)).build();
    assertEquals(429, send(client, request, async).statusCode());
    assertEquals(2, server.arrivals());
    untilQuiet(limiter);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void redirectsAndCredentialsGoTogetherWithRetries(boolean async) throws Exception {
    var first = new AtomicInteger(1);
    var refused = new AtomicInteger(2);
    RawServer server =
        server(
            (request, connection) -> {
              if (request.path().equals("/from")) {
                connection.status(first.getAndDecrement() > 0 ? 429 : 302, "Location: /to");
              } else if (refused.getAndDecrement() > 0) {
                connection.status(429);
              } else if (!request.headers().containsKey("authorization")) {
                refused.set(1);
                connection.status(401, "WWW-Authenticate: Basic realm=\"r\"");
              } else {
                connection.ok("in");
              }
            });
    var authenticator =
        new Authenticator() {
          @Override
          protected PasswordAuthentication getPasswordAuthentication() {
            return new PasswordAuthentication("me", new char[] {'p'});
          }
        };
    HttpClient client =
        client(
            it ->
                it.retryRefused(4)
                    .followRedirects(Redirect.NORMAL)
                    .maxRedirects(1)
                    .authenticator(authenticator));
    HttpResponse<String> answer = send(client, get(server.uri("/from")), async);
    assertEquals("in", answer.body());
    assertEquals(7, server.arrivals()); // 429, 302, 429, 429, 401, 429, 200
    assertGranted(7);
  }

  @Test
  void aCallThatIsCancelledBetweenTwoAttemptsLeavesTheQueue() throws Exception {
    RawServer server = refusing(9, 429, "Retry-After: 30");
    CompletableFuture<HttpResponse<String>> call =
        client(it -> it.retryRefused(3)).sendAsync(get(server.uri("/")), BodyHandlers.ofString());
    until(() -> limiter.snapshot().waiting() == 1);
    call.cancel(true);
    assertGranted(1);
    assertEquals(1, server.arrivals());
  }

  @Test
  void aThreadThatIsInterruptedBetweenTwoAttemptsLeavesTheQueue() throws Exception {
    RawServer server = refusing(9, 429, "Retry-After: 30");
    HttpClient client = client(it -> it.retryRefused(3));
    var thread =
        new Thread(
            () ->
                assertThrows(InterruptedException.class, () -> send(client, get(server.uri("/")))));
    thread.start();
    until(() -> limiter.snapshot().waiting() == 1);
    thread.interrupt();
    thread.join();
    assertGranted(1);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aChoiceThatThrowsEndsTheCallAndThePermit(boolean async) throws Exception {
    RawServer server = refusing(1, 429);
    var mine = new IllegalStateException("mine");
    HttpClient client =
        client(
            it ->
                it.retryRefused(
                    3,
                    request -> {
                      throw mine;
                    }));
    var failure = assertThrows(Exception.class, () -> send(client, get(server.uri("/")), async));
    assertSame(mine, async ? failure.getCause() : failure);
    assertGranted(1);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void anErrorOfAChoiceEndsTheCallAndThePermit(boolean async) throws Exception {
    RawServer server = refusing(1, 429);
    var mine = new AssertionError("mine");
    HttpClient client =
        client(
            it ->
                it.retryRefused(
                    3,
                    request -> {
                      throw mine;
                    }));
    var failure = assertThrows(Throwable.class, () -> send(client, get(server.uri("/")), async));
    assertSame(mine, async ? failure.getCause() : failure);
    assertGranted(1);
  }

  /** Refuses the first request with a body that does not end; answers the next ones. */
  private RawServer refusingAtLength(String part, int millis) throws IOException {
    var first = new AtomicInteger(1);
    return server(
        (request, connection) -> {
          if (first.getAndDecrement() <= 0) {
            connection.ok("hello");
            return;
          }
          connection.write("HTTP/1.1 429 X\r\nTransfer-Encoding: chunked\r\n\r\n");
          String chunk = Integer.toHexString(part.length()) + "\r\n" + part + "\r\n";
          while (true) {
            connection.write(chunk);
            Thread.sleep(millis);
          }
        });
  }

  /** Both ways at once, as a body that trickles is read for a second. */
  @ParameterizedTest
  @CsvSource({"10, 50", "9999, 1"})
  @Tag("jdk") // some fail a call whose body is cancelled
  void aRefusalWhoseBodyDoesNotEndIsNotReadToTheEnd(int length, int millis) throws Exception {
    HttpClient client = client(it -> it.retryRefused(3));
    RawServer other = refusingAtLength("x".repeat(length), millis);
    var later = client.sendAsync(get(other.uri("/")), BodyHandlers.ofString());
    RawServer server = refusingAtLength("x".repeat(length), millis);
    assertEquals("hello", send(client, get(server.uri("/"))).body());
    assertEquals("hello", later.get().body());
    assertEquals(2, server.arrivals());
    assertEquals(2, other.arrivals());
    untilQuiet(limiter);
  }

  @Test
  void aConnectionThatBreaksAfterARefusalIsAnError() throws Exception {
    var first = new AtomicInteger(1);
    RawServer server =
        server(
            (request, connection) -> {
              if (first.getAndDecrement() > 0) {
                connection.status(429);
              } else {
                connection.reset();
              }
            });
    HttpClient client = client(it -> it.retryRefused(3, request -> true));
    assertThrows(IOException.class, () -> send(client, post(server.uri("/"), "x")));
    assertGranted(2);
  }

  @Test
  void impossibleSettingsAreRefusedAtBuild() {
    PacedHttpClient.Builder builder =
        PacedHttpClient.builder(plain()).limiter(limiter).withoutFeedback();
    assertThrows(IllegalArgumentException.class, () -> builder.retryRefused(-1));
    builder.retryRefused(1);
    var failure = assertThrows(IllegalStateException.class, builder::build);
    assertTrue(("" + failure.getMessage()).contains("feedback"), failure::toString);
    builder.retryRefused(0).build();
  }

  /** A retry waits under its limit like any other request. */
  @Test
  void aRetryTakesAPermitOfItsOwn() throws Exception {
    Limiter two = Limiter.of("peer(2/1h)");
    RawServer server = refusing(9, 429);
    HttpClient client =
        PacedHttpClient.builder(plain())
            .limiter(two)
            .feedback(SOON)
            .retryRefused(9)
            .maxWait(Duration.ofSeconds(1))
            .build();
    assertEquals(429, send(client, get(server.uri("/"))).statusCode());
    assertEquals(2, server.arrivals());
    untilQuiet(two);
  }
}
