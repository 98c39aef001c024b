package dev.pacegate.http;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;
import static java.util.Objects.requireNonNull;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.Limiter;
import dev.pacegate.Permit;
import dev.pacegate.adapter.tck.RawServer;
import dev.pacegate.time.Durations;
import dev.pacegate.time.ManualTime;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A request that waits for long says for what, and how long it may wait. */
@Timeout(60)
class LongWaitTest extends PacedHttpCases {

  private RawServer hello() throws Exception {
    return server((request, connection) -> connection.ok("hello"));
  }

  private static String refusal(HttpClient client, HttpRequest request, boolean async) {
    Throwable failure =
        async
            ? assertThrows(
                    ExecutionException.class,
                    () -> client.sendAsync(request, BodyHandlers.ofString()).get())
                .getCause()
            : assertThrows(HttpWaitTooLongException.class, () -> send(client, request));
    return "" + assertInstanceOf(HttpWaitTooLongException.class, failure).getMessage();
  }

  @ParameterizedTest
  @CsvSource({"false, 10ms", "true, 10ms", "false, 0s", "true, 0s"})
  void theMessageNamesTheTermThatBinds(boolean async, String maxWait) throws Exception {
    Limiter limiter = Limiter.of("3/1h & concurrent(9)");
    for (int i = 0; i < 3; i++) {
      limiter.acquire().answered();
    }
    HttpClient client =
        PacedHttpClient.builder(plain()).limiter(limiter).maxWait(Durations.parse(maxWait)).build();
    String message = refusal(client, get(hello().uri("/")), async);
    String expected =
        "not sent: no permit within "
            + maxWait
            + ", the wait is at least (59m\\d+s|1h): 3/1h: 3 of 3 spent";
    assertTrue(message.matches(expected), message);
    untilQuiet(limiter);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void theMessageNamesOpenRequestsAndPauses(boolean async) throws Exception {
    Limiter limiter = Limiter.of("concurrent(1)");
    Permit open = limiter.acquire();
    HttpClient client =
        PacedHttpClient.builder(plain()).limiter(limiter).maxWait(ofMillis(20)).build();
    HttpRequest request = get(hello().uri("/"));
    assertEquals(
        "not sent: no permit within 20ms: concurrent(1): 1 of 1 open",
        refusal(client, request, async));
    open.answered();
    limiter.pause();
    assertEquals(
        "not sent: no permit within 20ms: paused until resumed", refusal(client, request, async));
    limiter.resume();
    limiter.peerRefused(ofMinutes(10));
    String message = refusal(client, request, async);
    assertTrue(
        message.matches(
            "not sent: no permit within 20ms, the wait is at least 9m\\d+s: paused until"
                + " .*\\d\\d:\\d\\d:\\d\\d, because the peer refused a request"),
        message);
    untilQuiet(limiter);
  }

  /** Another limiter around the client must not count it for as long as a lost request. */
  @Test
  void aRequestThatWasNotSentIsNoLostOne() throws Exception {
    Limiter account = Limiter.of("peer(10/1h)");
    PacedHttpClient client =
        PacedHttpClient.builder(plain()).limiter(limiter).maxWait(ofMillis(0)).build();
    HttpRequest request = get(URI.create("http://localhost/"));
    limiter.pause();
    assertThrows(HttpWaitTooLongException.class, () -> account.call(() -> send(client, request)));
    limiter.close();
    assertThrows(HttpRefusedException.class, () -> account.call(() -> send(client, request)));
    assertEquals(0, account.snapshot().lost());
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void theTimeoutOfARequestBoundsItsWait(boolean async) throws Exception {
    limiter.pause();
    PacedHttpClient client =
        PacedHttpClient.builder(plain())
            .limiter(limiter)
            .maxWait(ofMillis(30))
            .maxWaitFromTimeout()
            .build();
    RawServer server = hello();
    HttpRequest timed = HttpRequest.newBuilder(server.uri("/")).timeout(ofMillis(200)).build();
    long began = System.nanoTime();
    String message = refusal(client, timed, async);
    assertTrue(System.nanoTime() - began >= 199_000_000L, "given up early");
    assertTrue(message.startsWith("not sent: no permit within 200ms"), message);
    message = refusal(client, get(server.uri("/")), async); // without a time-out maxWait holds
    assertTrue(message.startsWith("not sent: no permit within 30ms"), message);
    HttpRequest huge =
        HttpRequest.newBuilder(server.uri("/")).timeout(ofSeconds(Long.MAX_VALUE)).build();
    message = refusal(client, huge, async); // more than a century is none
    assertTrue(message.startsWith("not sent: no permit within 30ms"), message);
    assertEquals(0, server.arrivals());
    untilQuiet(limiter);
  }

  /** The wait takes nothing off the time for the answer, which begins when it is over. */
  @Test
  void aSentRequestHasTheWholeTimeout() throws Exception {
    var inner = new LateClient();
    PacedHttpClient client =
        PacedHttpClient.builder(inner).limiter(limiter).maxWaitFromTimeout().build();
    HttpRequest timed =
        HttpRequest.newBuilder(URI.create("http://localhost/")).timeout(ofSeconds(100)).build();
    limiter.pause();
    var answer = client.sendAsync(timed, BodyHandlers.ofInputStream());
    Thread.sleep(20); // so that it has waited
    assertNull(inner.asked());
    limiter.resume();
    until(() -> inner.asked() != null);
    assertEquals(timed.timeout(), requireNonNull(inner.asked()).timeout());
    answer.cancel(true);
    inner.answer();
    untilQuiet(limiter);
  }

  /** One deadline holds for all permits of a call: the second would come in time for a new one. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aRedirectHasOnlyWhatIsLeftOfTheTimeout(boolean async) throws Exception {
    RawServer server =
        server(
            (request, connection) -> {
              Thread.sleep(300); // more than the time-out is longer than the wait
              connection.status(302, "Location: /again");
            });
    Limiter slow = Limiter.of("peer(1/19800ms)");
    PacedHttpClient client =
        PacedHttpClient.builder(plain().followRedirects(HttpClient.Redirect.NORMAL))
            .limiter(slow)
            .maxWaitFromTimeout()
            .build();
    refusal(client, HttpRequest.newBuilder(server.uri("/")).timeout(ofSeconds(20)).build(), async);
    assertEquals(1, server.arrivals());
    untilQuiet(slow);
  }

  /** Collects what is logged at level INFO. */
  private static final class Lines extends Handler {
    final List<String> lines = new CopyOnWriteArrayList<>();

    @Override
    public void publish(LogRecord line) {
      if (line.getLevel().equals(Level.INFO)) {
        lines.add(line.getMessage());
      }
    }

    @Override
    public void flush() {}

    @Override
    public void close() {}
  }

  /** Two limiters without a name have the same one: the text of their limit. */
  @Test
  @Tag("slow")
  void aLongWaitIsLoggedForEachHost() throws Exception {
    var handler = new Lines();
    Logger logger = Logger.getLogger("dev.pacegate");
    logger.addHandler(handler);
    try {
      Limiter first = Limiter.of("concurrent(1)");
      Limiter second = Limiter.of("concurrent(1)");
      PacedHttpClient client =
          PacedHttpClient.builder(plain())
              .limiters(each -> each.uri().getHost().equals("localhost") ? first : second)
              .build();
      URI one = hello().uri("/");
      URI other = URI.create(one.toString().replace("localhost", "127.0.0.1"));
      List<Permit> open = List.of(first.acquire(), second.acquire());
      var waits =
          List.of(
              client.sendAsync(get(one), BodyHandlers.ofString()),
              client.sendAsync(get(other), BodyHandlers.ofString()));
      while (handler.lines.size() < 2) {
        Thread.sleep(5); // polls
      }
      open.forEach(Permit::answered);
      for (var wait : waits) {
        assertEquals("hello", wait.get().body());
      }
      assertEquals(2, handler.lines.size(), handler.lines::toString);
      for (String line : handler.lines) {
        assertTrue(line.matches(".* has waited for ([5-9]|\\d\\d)(\\.\\d)?s: .*"), line);
      }
    } finally {
      logger.removeHandler(handler);
    }
  }

  @Test
  void aLongWaitIsLoggedOnceForItsLimiter() throws Exception {
    var handler = new Lines();
    List<String> lines = handler.lines;
    Logger logger = Logger.getLogger("dev.pacegate");
    logger.addHandler(handler);
    try {
      ManualTime time = ManualTime.manual();
      Limiter limiter = Limiter.builder("concurrent(1)").name("secret").time(time).build();
      Permit open = limiter.acquire();
      PacedHttpClient client = paced(limiter);
      HttpRequest request = get(hello().uri("/"));
      var first = client.sendAsync(request, BodyHandlers.ofString());
      var thread = new Thread(() -> sendQuietly(client, request));
      thread.start();
      until(() -> limiter.snapshot().waiting() == 2 && time.pending() >= 2);
      time.advance(ofSeconds(5));
      until(() -> !lines.isEmpty());
      open.answered();
      assertEquals("hello", first.get().body());
      thread.join();
      assertEquals(1, lines.size(), lines::toString);
      String line = lines.get(0);
      assertTrue(
          line.matches(
              "a request to localhost:\\d+ has waited for 5s: (concurrent\\(1\\): 1 of 1 open|2 requests wait)"),
          line);
      untilQuiet(limiter);
    } finally {
      logger.removeHandler(handler);
    }
  }

  private static void sendQuietly(HttpClient client, HttpRequest request) {
    try {
      send(client, request);
    } catch (Exception failure) {
      throw new AssertionError(failure);
    }
  }
}
