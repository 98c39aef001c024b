package dev.pacegate.apache;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.adapter.tck.RawServer;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.apache.hc.client5.http.auth.AuthScope;
import org.apache.hc.client5.http.auth.UsernamePasswordCredentials;
import org.apache.hc.client5.http.classic.methods.HttpGet;
import org.apache.hc.client5.http.impl.auth.BasicCredentialsProvider;
import org.apache.hc.client5.http.impl.classic.CloseableHttpClient;
import org.apache.hc.client5.http.impl.classic.RequestFailedException;
import org.apache.hc.core5.http.io.entity.EntityUtils;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

/** How requests wait, and how they are given up before and after. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class WaitTest extends ApacheCases {

  private final ExecutorService threads = Executors.newCachedThreadPool();

  @AfterEach
  void stop() {
    threads.shutdownNow();
  }

  private Future<String> send(CloseableHttpClient client, HttpGet request) {
    return threads.submit(
        () ->
            client.execute(
                request, response -> EntityUtils.toString(response.getEntity(), 100_000)));
  }

  private void untilWaiting() {
    until(() -> limiter.snapshot().waiting() == 1);
  }

  /** A connection that waits for a permit may be closed by its server meanwhile. */
  @Test
  void aRequestThatWaitsHoldsNoConnection() throws Exception {
    RawServer server = server((request, connection) -> connection.ok("hello"));
    limiter.pause();
    Future<String> answer = send(paced(), new HttpGet(server.uri("/")));
    untilWaiting();
    assertEquals(0, pool.getTotalStats().getLeased());
    limiter.resume();
    assertEquals("hello", answer.get());
    assertPermits(1, server);
  }

  @Test
  void aFurtherRequestThatWaitsHoldsNoConnection() throws Exception {
    Set<String> seen = ConcurrentHashMap.newKeySet();
    RawServer server =
        server(
            (request, connection) -> {
              if (request.path().equals("/end") || !seen.add(request.path())) {
                connection.ok("hello");
                return;
              }
              limiter.pause();
              switch (request.path()) {
                case "/401" -> connection.status(401, "WWW-Authenticate: Basic realm=\"a\"");
                case "/429" -> connection.status(429);
                default -> connection.status(302, "Location: /end");
              }
            });
    var passwords = new BasicCredentialsProvider();
    passwords.setCredentials(
        new AuthScope(null, -1), new UsernamePasswordCredentials("me", "x".toCharArray()));
    var client = options(plain().setDefaultCredentialsProvider(passwords)).retryRefused(1).build();
    for (String path : List.of("/401", "/429", "/302")) {
      Future<String> answer = send(client, new HttpGet(server.uri(path)));
      untilWaiting();
      assertEquals(0, pool.getTotalStats().getLeased(), path);
      limiter.resume();
      assertEquals("hello", answer.get());
    }
    assertPermits(6, server);
  }

  @Test
  void aRequestCancelledWhileItWaitsLeavesTheQueueAtOnce() throws Exception {
    RawServer server = server((request, connection) -> connection.ok("hello"));
    limiter.pause();
    var request = new HttpGet(server.uri("/"));
    Future<String> answer = send(paced(), request);
    untilWaiting();
    assertTrue(request.cancel());
    var thrown = assertThrows(ExecutionException.class, answer::get);
    assertInstanceOf(RequestFailedException.class, thrown.getCause());
    limiter.resume();
    assertPermits(0, server);
  }

  @Test
  void aRequestCancelledAfterARedirectLeavesTheQueueAtOnce() throws Exception {
    RawServer server =
        server(
            (request, connection) -> {
              limiter.pause();
              connection.status(302, "Location: /end");
            });
    var request = new HttpGet(server.uri("/"));
    Future<String> answer = send(paced(), request);
    untilWaiting();
    request.cancel();
    assertThrows(ExecutionException.class, answer::get);
    limiter.resume();
    assertPermits(1, server);
    assertEquals(0, limiter.snapshot().lost());
  }

  @Test
  void aRequestCancelledBeforeItIsSentTakesNoPermit() throws Exception {
    RawServer server = server((request, connection) -> connection.ok("hello"));
    limiter.pause();
    var request = new HttpGet(server.uri("/"));
    request.cancel();
    assertThrows(RequestFailedException.class, () -> paced().execute(request, response -> ""));
    assertFalse(Thread.interrupted());
    assertPermits(0, server);
  }

  /** It is cancelled by an interrupt, which nothing else may see. */
  @Test
  void aRequestCancelledByAFunctionThatThrowsLeavesNoInterruptBehind() throws Exception {
    RawServer server = server((request, connection) -> connection.ok("hello"));
    var request = new HttpGet(server.uri("/"));
    PacedApache options =
        options()
            .cost(
                each -> {
                  request.cancel();
                  throw new IllegalStateException("cost");
                });
    CloseableHttpClient client = paced(options);
    assertThrows(IllegalStateException.class, () -> client.execute(request, response -> ""));
    assertFalse(Thread.interrupted());
    assertPermits(0, server);
  }

  @Test
  void anInterruptLeavesTheQueueAtOnce() throws Exception {
    RawServer server = server((request, connection) -> connection.ok("hello"));
    limiter.pause();
    CloseableHttpClient client = paced();
    var thread = new CompletableFuture<Thread>();
    Future<Boolean> interrupted =
        threads.submit(
            () -> {
              thread.complete(Thread.currentThread());
              var thrown =
                  assertThrows(InterruptedIOException.class, () -> get(client, server.uri("/")));
              assertEquals("interrupted while waiting for a permit", thrown.getMessage());
              return Thread.interrupted();
            });
    untilWaiting();
    thread.get().interrupt();
    assertTrue(interrupted.get());
    limiter.resume();
    assertPermits(0, server);
  }

  @Test
  void aRequestCancelledInFlightIsLost() throws Exception {
    var arrived = new CountDownLatch(1);
    RawServer server = server((request, connection) -> arrived.countDown());
    var request = new HttpGet(server.uri("/"));
    Future<String> answer = send(paced(), request);
    arrived.await();
    until(() -> limiter.snapshot().open() == 1);
    request.cancel();
    assertThrows(ExecutionException.class, answer::get);
    assertPermits(1, server);
    assertEquals(1, limiter.snapshot().lost());
  }

  /** Its thread does something else: nothing but the cancellation ends the permit. */
  @Test
  void aRequestCancelledBetweenTwoReadsIsLost() throws IOException {
    RawServer server =
        server(
            (request, connection) ->
                connection.write("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhello"));
    var request = new HttpGet(server.uri("/"));
    var response = paced().executeOpen(null, request, null);
    assertNotNull(response.getEntity().getContent());
    assertEquals(1, limiter.snapshot().open());
    request.cancel();
    assertPermits(1, server);
    assertEquals(1, limiter.snapshot().lost());
    response.close();
  }
}
