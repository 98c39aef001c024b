package dev.pacegate.http;

import static java.time.Duration.ofMillis;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.Limiter;
import dev.pacegate.adapter.PacingOptions;
import dev.pacegate.adapter.RequestPacing;
import dev.pacegate.adapter.tck.RawServer;
import dev.pacegate.limit.Cost;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpClient.Redirect;
import java.net.http.HttpClient.Version;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** It behaves as the JDK's client does, and leaves no permit open on any path. */
@Timeout(60)
@Tag("jdk") // whose client it stands in for
class DropInTest {

  private final Limiter limiter = Limiter.of("peer(1000000/1h)");
  private final List<AutoCloseable> toClose = new ArrayList<>();

  @AfterEach
  void close() throws Exception {
    for (AutoCloseable each : toClose) {
      each.close();
    }
  }

  private RawServer server(RawServer.ServerScript script) throws IOException {
    var server = new RawServer(script);
    toClose.add(server);
    return server;
  }

  private static HttpClient.Builder plain() {
    return HttpClient.newBuilder().version(Version.HTTP_1_1).followRedirects(Redirect.NORMAL);
  }

  private PacedHttpClient paced() {
    return PacedHttpClient.builder(plain()).limiter(limiter).build();
  }

  private static HttpRequest get(URI uri) {
    return HttpRequest.newBuilder(uri).build();
  }

  private static HttpResponse<String> send(HttpClient client, HttpRequest request)
      throws IOException, InterruptedException {
    return client.send(request, BodyHandlers.ofString());
  }

  private static void until(BooleanSupplier condition) throws InterruptedException {
    for (int i = 0; i < 2_000 && !condition.getAsBoolean(); i++) {
      Thread.sleep(5); // polls
    }
    assertTrue(condition.getAsBoolean());
  }

  private void assertGranted(int granted) throws InterruptedException {
    until(() -> limiter.snapshot().open() == 0);
    assertEquals(granted, limiter.snapshot().granted());
  }

  // ---- what a response knows

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void theRequestOfAResponseCanBeSentAgain(boolean redirected) throws Exception {
    RawServer server =
        server(
            (request, connection) -> {
              if (redirected && request.path().equals("/")) {
                connection.status(307, "Location: /there");
              } else {
                connection.ok(request.body());
              }
            });
    PacedHttpClient client = paced();
    HttpRequest request =
        HttpRequest.newBuilder(server.uri("/")).POST(BodyPublishers.ofString("body")).build();

    HttpResponse<String> first = send(client, request);
    HttpResponse<String> second = send(client, first.request());

    assertEquals("body", first.body());
    assertEquals("body", second.body());
    assertEquals(4, first.request().bodyPublisher().orElseThrow().contentLength());
  }

  @Test
  void aRequestIsThatOfTheCaller() throws Exception {
    RawServer server = server((request, connection) -> connection.ok("hello"));
    HttpRequest request = get(server.uri("/"));

    assertEquals(request, send(paced(), request).request());
    assertEquals(request, paced().sendAsync(request, BodyHandlers.ofString()).get().request());
  }

  @Test
  @SuppressWarnings("NullAway") // that is what is tried
  void nullsAreRefusedAtOnce() {
    PacedHttpClient client = paced();
    HttpRequest request = get(URI.create("http://localhost/"));

    assertThrows(NullPointerException.class, () -> client.send(null, BodyHandlers.ofString()));
    assertThrows(NullPointerException.class, () -> client.sendAsync(null, BodyHandlers.ofString()));
    assertThrows(NullPointerException.class, () -> client.send(request, null));
    assertThrows(NullPointerException.class, () -> client.sendAsync(request, null));
    assertEquals(0, limiter.snapshot().granted());
  }

  @Test
  void webSocketsAreRefused() {
    var thrown =
        assertThrows(UnsupportedOperationException.class, () -> paced().newWebSocketBuilder());
    assertTrue(("" + thrown.getMessage()).contains("with a permit of a Limiter"));
  }

  // ---- functions of the user

  @Test
  void aCostThatIsNotCountedIsAnErrorOfTheCall() {
    Limiter spaced = Limiter.of("peer(spacing(1s))");
    PacedHttpClient client =
        PacedHttpClient.builder(plain()).limiter(spaced).cost(request -> Cost.of(50)).build();
    HttpRequest request = get(URI.create("http://localhost/"));

    assertThrows(IllegalArgumentException.class, () -> send(client, request));
    assertThrows(
        IllegalArgumentException.class, () -> client.sendAsync(request, BodyHandlers.ofString()));
    assertEquals(0, spaced.snapshot().granted());
    assertEquals(0, spaced.snapshot().waiting());
  }

  @Test
  void theLimiterIsChosenOnceAndHearsTheAnswer() throws Exception {
    RawServer server = server((request, connection) -> connection.status(429, "Retry-After: 60"));
    Limiter first = Limiter.of("peer(10/1s)");
    Limiter second = Limiter.of("peer(10/1s)");
    var calls = new AtomicInteger();
    PacedHttpClient client =
        PacedHttpClient.builder(plain())
            .limiters(request -> calls.getAndIncrement() % 2 == 0 ? first : second) // in turns
            .maxWait(ofMillis(10))
            .build();

    send(client, get(server.uri("/")));

    assertEquals(1, calls.get());
    assertTrue(first.snapshot().paused());
    assertEquals(0, second.snapshot().refusedByPeer());
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void functionsThatFailLeaveNothingOpen(boolean costs) throws Exception {
    RawServer server = server((request, connection) -> connection.status(302, "Location: /bad"));
    PacedHttpClient client =
        PacedHttpClient.builder(plain())
            .limiters(request -> costs ? limiter : unlessBad(request, limiter))
            .cost(request -> costs ? unlessBad(request, Cost.ONE) : Cost.ONE)
            .build();

    assertThrows(IllegalStateException.class, () -> send(client, get(server.uri("/"))));
    var failure =
        assertThrows(
            ExecutionException.class,
            () -> client.sendAsync(get(server.uri("/")), BodyHandlers.ofString()).get());

    assertInstanceOf(IllegalStateException.class, failure.getCause());
    assertGranted(2);
  }

  private static <T> T unlessBad(HttpRequest request, T value) {
    if (request.uri().getPath().equals("/bad")) {
      throw new IllegalStateException("test");
    }
    return value;
  }

  /** No task waits on the one thread that there is, for the client and for the limiter. */
  @Test
  void oneThreadIsEnough() throws Exception {
    RawServer server =
        server(
            (request, connection) -> {
              if (request.path().equals("/")) {
                connection.status(302, "Location: /there");
              } else {
                connection.ok("there");
              }
            });
    ExecutorService thread = Executors.newSingleThreadExecutor();
    toClose.add(thread::shutdownNow);
    Limiter slow = Limiter.builder("peer(4/10ms)").executor(thread).build();
    PacedHttpClient client =
        PacedHttpClient.builder(plain().executor(thread)).limiter(slow).build();

    var answers = new ArrayList<CompletableFuture<HttpResponse<String>>>();
    for (int i = 0; i < 20; i++) {
      answers.add(client.sendAsync(get(server.uri("/")), BodyHandlers.ofString()));
    }

    for (var answer : answers) {
      assertEquals("there", answer.get(20, TimeUnit.SECONDS).body());
    }
    assertEquals(40, slow.snapshot().granted());
  }

  // ---- giving up

  /**
   * The response is there, and so is its body, when the caller gives up: no caller will close it.
   */
  @Test
  void aResponseThatComesTooLateIsClosed() throws Exception {
    var late = new LateClient();
    PacedHttpClient client = PacedHttpClient.builder(late).limiter(limiter).build();

    CompletableFuture<HttpResponse<InputStream>> answer =
        client.sendAsync(get(URI.create("http://localhost/")), BodyHandlers.ofInputStream());
    until(() -> late.isAsked());
    answer.cancel(true);
    late.answer();

    until(() -> limiter.snapshot().open() == 0);
    assertTrue(late.isCancelled(), "the body goes on");
  }

  /** The client was about to send it again, but the caller wants it no more. */
  @Test
  void anInterruptIsNotTakenForAnotherTry() throws Exception {
    assertFalse(sentTwice().failed(new InterruptedException()));
    assertTrue(sentTwice().failed(new IOException("test")));
    assertEquals(0, limiter.snapshot().open());
  }

  private static final class Options extends PacingOptions<HttpRequest, HttpResponse<?>, Options> {
    Options() {
      super(new JdkMessages());
    }

    @Override
    protected RequestPacing<HttpRequest, HttpResponse<?>> pacing() {
      return super.pacing();
    }
  }

  private Attempt<Void> sentTwice() throws Exception {
    var attempt =
        new Attempt<Void>(
            get(URI.create("http://localhost/")),
            new Options().limiter(limiter).pacing().newCall().acquire(get(URI.create("http://a/"))),
            true,
            BodyHandlers.discarding(),
            () -> Duration.ZERO,
            (answer, refused) -> null);
    var body = attempt.sending().bodyPublisher().orElseThrow();
    assertEquals(0, body.contentLength());
    assertThrows(IllegalStateException.class, body::contentLength);
    return attempt;
  }

  // ---- connections

  @Test
  void eachRequestOfACallIsSentTwiceAtMost() throws Exception {
    var seen = new AtomicInteger();
    RawServer server =
        server(
            (request, connection) -> {
              int count = seen.incrementAndGet();
              if (count % 2 == 1) {
                connection.close();
              } else if (request.path().equals("/")) {
                connection.status(302, "Location: /there");
              } else {
                connection.ok("there");
              }
            });

    assertEquals("there", send(plain().build(), get(server.uri("/"))).body());
    assertEquals(4, seen.get());
    assertEquals("there", send(paced(), get(server.uri("/"))).body());
    assertEquals(8, seen.get());
    assertGranted(4);
  }

  @ParameterizedTest
  @ValueSource(strings = {"100 Continue", "102 Processing", "103 Early Hints"})
  void anInterimResponseEndsNothing(String interim) throws Exception {
    RawServer server =
        server(
            (request, connection) -> {
              connection.write("HTTP/1.1 " + interim + "\r\n\r\n");
              connection.ok("hello");
            });

    HttpResponse<String> answer = send(paced(), get(server.uri("/")));

    assertEquals("200 hello", answer.statusCode() + " " + answer.body());
    assertGranted(1);
  }

  @ParameterizedTest
  @CsvSource({"/, 200", "/refused, 417"})
  void aRequestThatExpectsContinueArrivesOnce(String path, int status) throws Exception {
    RawServer server =
        server((request, connection) -> connection.status(status, "Connection: close"));
    HttpRequest request =
        HttpRequest.newBuilder(server.uri(path))
            .expectContinue(true)
            .POST(BodyPublishers.ofString("body"))
            .build();

    assertEquals(status, send(paced(), request).statusCode());

    assertGranted(1);
    assertEquals(1, server.arrivals());
    assertEquals(status == 200 ? "body" : "", server.requests().get(0).body());
  }

  @Test
  void anUpgradeThatWasNotAskedForEndsThePermit() throws Exception {
    RawServer server =
        server(
            (request, connection) ->
                connection.write(
                    "HTTP/1.1 101 X\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n"));
    HttpRequest request = HttpRequest.newBuilder(server.uri("/")).timeout(ofMillis(500)).build();

    try {
      send(paced(), request);
    } catch (IOException ofTheJdk) {
      // It is not the same on all.
    }

    assertGranted(1);
  }

  @Test
  void answersWithoutABodyEndThePermit() throws Exception {
    RawServer server =
        server(
            (request, connection) ->
                connection.write(
                    request.method().equals("HEAD")
                        ? "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n"
                        : "HTTP/1.1 304 X\r\nContent-Length: 10\r\n\r\n"));
    HttpRequest head =
        HttpRequest.newBuilder(server.uri("/")).method("HEAD", BodyPublishers.noBody()).build();

    assertEquals(200, send(paced(), head).statusCode());
    assertEquals(304, send(paced(), get(server.uri("/"))).statusCode());
    assertEquals(
        304,
        paced().sendAsync(get(server.uri("/")), BodyHandlers.ofInputStream()).get().statusCode());

    assertGranted(3);
  }
}
