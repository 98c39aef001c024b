package dev.pacegate.http;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.Limiter;
import dev.pacegate.Snapshot;
import dev.pacegate.adapter.Answered;
import dev.pacegate.adapter.tck.RawServer;
import java.io.IOException;
import java.io.InputStream;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpTimeoutException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What breaks, or is given up, ends its permit as the peer may have seen it. */
@Timeout(60)
@Tag("jdk") // how a connection ends is told by the JDK's client
class BrokenExchangeTest extends PacedHttpCases {

  // ---- connections that break

  /** The JDK's client sends a GET twice if the connection ends before an answer. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aRequestThatIsSentAgainTakesAnotherPermit(boolean async) throws Exception {
    RawServer server = server((request, connection) -> connection.close());
    PacedHttpClient client = paced();

    if (async) {
      var failure =
          assertThrows(
              ExecutionException.class,
              () -> client.sendAsync(get(server.uri("/")), BodyHandlers.ofString()).get());
      assertInstanceOf(IOException.class, failure.getCause());
    } else {
      assertThrows(IOException.class, () -> send(client, get(server.uri("/"))));
    }

    assertGranted(2);
    assertEquals(2, server.arrivals());
  }

  @Test
  void aConnectionThatWasKeptTooLongIsReplaced() throws Exception {
    RawServer server =
        server(
            (request, connection) -> {
              if (request.number() > 1) {
                connection.close();
              } else {
                connection.ok("hello");
              }
            });
    PacedHttpClient client = paced();

    assertEquals("hello", send(client, get(server.uri("/"))).body());
    assertEquals("hello", send(client, get(server.uri("/"))).body());

    assertEquals(3, server.arrivals());
    assertGranted(3);
  }

  @Test
  void thereIsNoPermitForSendingAgain() throws Exception {
    RawServer server = server((request, connection) -> connection.close());
    Limiter one = Limiter.of("peer(1/1h)");
    PacedHttpClient client =
        PacedHttpClient.builder(plain()).limiter(one).maxWait(ofMillis(10)).build();

    assertThrows(HttpWaitTooLongException.class, () -> send(client, get(server.uri("/"))));

    untilQuiet(one);
    assertEquals(1, server.arrivals());
  }

  @Test
  void aPostIsNotSentAgain() throws Exception {
    RawServer server = server((request, connection) -> connection.reset());
    PacedHttpClient client = paced();

    assertThrows(IOException.class, () -> send(client, post(server.uri("/"), "x")));

    assertEquals(1, server.arrivals());
    assertGranted(1);
  }

  /** Returns whether the only permit was given back (1), or is still spent (0). */
  private static int left(Limiter limiter) throws InterruptedException {
    untilQuiet(limiter);
    return limiter.tryAcquire().isPresent() ? 1 : 0;
  }

  @Test
  void anUnansweredRequestIsLost() throws Exception {
    assertEquals(0, left(unanswered()));
  }

  /** Tries again, as on a busy machine the time may be out before the request is sent. */
  private Limiter unanswered() throws Exception {
    for (int i = 0; i < 50; i++) {
      RawServer server = server((request, connection) -> Thread.sleep(60_000)); // never answers
      Limiter one = Limiter.of("peer(1/1h)");
      var request = HttpRequest.newBuilder(server.uri("/")).timeout(ofMillis(200)).build();
      assertThrows(HttpTimeoutException.class, () -> send(paced(one), request));
      if (server.arrivals() == 1) {
        return one;
      }
    }
    throw new AssertionError("no request is ever sent");
  }

  @Test
  void brokenBodiesAreLost() throws Exception {
    RawServer server =
        server(
            (request, connection) -> {
              connection.write("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhal");
              connection.close();
            });
    Limiter one = Limiter.of("peer(1/100ms, unanswered=1h)");

    assertThrows(IOException.class, () -> send(paced(one), post(server.uri("/"), "x")));

    untilQuiet(one);
    Thread.sleep(200); // an answered permit would be free by now
    assertEquals(0, left(one));
  }

  @Test
  void aStreamThatIsClosedHalfWayIsLost() throws Exception {
    var more = new CountDownLatch(1);
    RawServer server =
        server(
            (request, connection) -> {
              connection.write("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf ");
              more.await();
              connection.write("half ");
            });
    Limiter one = Limiter.of("peer(1/100ms, unanswered=1h)");

    HttpResponse<InputStream> answer =
        paced(one).send(get(server.uri("/")), BodyHandlers.ofInputStream());
    assertEquals('h', answer.body().read());
    assertEquals(1, one.snapshot().open());
    answer.body().close();
    more.countDown();

    untilQuiet(one);
    Thread.sleep(200); // an answered permit would be free by now
    assertEquals(0, left(one));
  }

  @ParameterizedTest
  @EnumSource(Answered.class)
  void aPermitEndsWithTheBodyOrWithTheHeaders(Answered answered) throws Exception {
    var more = new CountDownLatch(1);
    RawServer server =
        server(
            (request, connection) -> {
              connection.write(
                  "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n");
              more.await();
              connection.write("0\r\n\r\n");
            });
    PacedHttpClient client =
        PacedHttpClient.builder(plain()).limiter(limiter).answered(answered).build();

    HttpResponse<InputStream> answer =
        client.send(get(server.uri("/")), BodyHandlers.ofInputStream());

    assertEquals(answered == Answered.BODY ? 1 : 0, limiter.snapshot().open());
    more.countDown();
    assertEquals("hello", new String(answer.body().readAllBytes(), StandardCharsets.UTF_8));
    assertGranted(1);
  }

  @Test
  void trickledBodiesAndHalfClosedConnectionsAreAnswers() throws Exception {
    RawServer server =
        server(
            (request, connection) -> {
              connection.write("HTTP/1.1 200 OK\r\n\r\n"); // the body ends with the connection
              for (char c : "trickle".toCharArray()) {
                connection.write(String.valueOf(c));
                Thread.sleep(5); // so that each is a segment of its own
              }
              connection.socket().shutdownOutput();
            });

    assertEquals("trickle", send(paced(), get(server.uri("/"))).body());
    assertGranted(1);
  }

  @Test
  void aHandlerThatFailsEndsThePermit() throws Exception {
    RawServer server = server((request, connection) -> connection.ok("hello"));

    assertThrows(
        IOException.class,
        () ->
            paced()
                .send(
                    get(server.uri("/")),
                    info -> {
                      throw new IllegalStateException("test");
                    }));

    assertGranted(1);
  }

  // ---- giving up

  @Test
  void cancelledWhileItWaitsItCostsNothing() throws Exception {
    RawServer server = server((request, connection) -> connection.ok("hello"));
    Limiter one = Limiter.of("peer(1/1h)");
    PacedHttpClient client = paced(one);
    send(client, get(server.uri("/")));

    var second = client.sendAsync(get(server.uri("/")), BodyHandlers.ofString());
    until(() -> one.snapshot().waiting() == 1);
    assertTrue(second.cancel(true));

    untilQuiet(one);
    assertEquals(1, one.snapshot().granted());
    assertEquals(1, server.arrivals());
  }

  @Test
  void cancelledOnItsWayItIsLost() throws Exception {
    var gone = new CountDownLatch(1);
    RawServer server =
        server(
            (request, connection) -> {
              if (connection.socket().getInputStream().read() < 0) { // until the client is gone
                gone.countDown();
              }
            });
    Limiter one = Limiter.of("peer(1/100ms, unanswered=1h)");

    var answer = paced(one).sendAsync(get(server.uri("/")), BodyHandlers.ofString());
    until(() -> server.arrivals() == 1);
    answer.cancel(true);

    assertTrue(gone.await(10, TimeUnit.SECONDS), "the exchange goes on");
    untilQuiet(one);
    Thread.sleep(200); // an answered permit would be free by now
    assertEquals(0, left(one));
  }

  @Test
  void interruptedOnItsWayItIsLost() throws Exception {
    RawServer server = server((request, connection) -> Thread.sleep(60_000)); // never answers
    Limiter one = Limiter.of("peer(1/1h)");
    PacedHttpClient client = paced(one);
    var interrupted = new CompletableFuture<Boolean>();
    var thread =
        new Thread(
            () -> {
              try {
                send(client, get(server.uri("/")));
              } catch (InterruptedException expected) {
                interrupted.complete(true);
              } catch (IOException other) {
                interrupted.completeExceptionally(other);
              }
            });
    thread.start();
    until(() -> server.arrivals() == 1);

    thread.interrupt();

    assertTrue(interrupted.get(10, TimeUnit.SECONDS));
    assertEquals(0, left(one));
  }

  @Test
  void interruptedWhileItWaitsItCostsNothing() throws Exception {
    RawServer server = server((request, connection) -> connection.ok("hello"));
    limiter.pause();
    var interrupted = new CompletableFuture<Boolean>();
    var thread =
        new Thread(
            () -> {
              try {
                send(paced(), get(server.uri("/")));
              } catch (InterruptedException expected) {
                interrupted.complete(true);
              } catch (IOException other) {
                interrupted.completeExceptionally(other);
              }
            });
    thread.start();
    until(() -> limiter.snapshot().waiting() == 1);

    thread.interrupt();

    assertTrue(interrupted.get(10, TimeUnit.SECONDS));
    assertEquals(0, server.arrivals());
    assertGranted(0);
  }

  @Test
  void waitsNoLongerThanAllowed() throws Exception {
    RawServer server = server((request, connection) -> connection.ok("hello"));
    Limiter one = Limiter.of("1/1h");
    PacedHttpClient client =
        PacedHttpClient.builder(plain()).limiter(one).maxWait(ofSeconds(1)).build();
    send(client, get(server.uri("/")));

    var late =
        assertThrows(HttpWaitTooLongException.class, () -> send(client, get(server.uri("/"))));
    var failure =
        assertThrows(
            ExecutionException.class,
            () -> client.sendAsync(get(server.uri("/")), BodyHandlers.ofString()).get());

    assertTrue(late.atLeast().compareTo(ofSeconds(3_500)) > 0, late.getMessage());
    assertInstanceOf(HttpWaitTooLongException.class, failure.getCause());
    assertEquals(1, server.arrivals());
  }

  @Test
  void aClosedLimiterIsAnIoError() throws Exception {
    RawServer server = server((request, connection) -> connection.ok("hello"));
    limiter.close();

    assertThrows(HttpRefusedException.class, () -> send(paced(), get(server.uri("/"))));
    var failure =
        assertThrows(
            ExecutionException.class,
            () -> paced().sendAsync(get(server.uri("/")), BodyHandlers.ofString()).get());
    assertInstanceOf(HttpRefusedException.class, failure.getCause());
  }

  @Test
  void aLimitMustBeGiven() {
    assertThrows(IllegalStateException.class, () -> PacedHttpClient.builder(plain()).build());
    Snapshot untouched = limiter.snapshot();
    assertEquals(0, untouched.granted());
  }
}
