package dev.pacegate.okhttp;

import static java.util.Objects.requireNonNull;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.Limiter;
import dev.pacegate.adapter.NotSentException;
import dev.pacegate.adapter.tck.RawServer;
import dev.pacegate.limit.Cost;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import okhttp3.Call;
import okhttp3.EventListener;
import okhttp3.OkHttp;
import okhttp3.OkHttpClient;
import okhttp3.Response;
import org.junit.jupiter.api.Test;

/** Calls that wait for a permit, how they leave the queue, and what they hold meanwhile. */
class WaitsTest extends OkHttpCases {

  private static RawServer hello() throws IOException {
    return new RawServer((request, connection) -> connection.ok("hello"));
  }

  /** Executes on a thread of its own. */
  private static CompletableFuture<String> execute(Call call) {
    var text = new CompletableFuture<String>();
    new Thread(
            () -> {
              try (var response = call.execute()) {
                text.complete(response.body().string());
              } catch (Throwable failure) {
                text.completeExceptionally(failure);
              }
            })
        .start();
    return text;
  }

  private static Throwable failure(CompletableFuture<String> call) {
    return requireNonNull(assertThrows(ExecutionException.class, call::get).getCause());
  }

  private void assertNothingSent(RawServer server) {
    assertEquals(0, server.arrivals());
    assertPermits(0);
  }

  @Test
  void aCallThatWaitsHoldsNoConnection() throws Exception {
    limiter.pause();
    OkHttpClient client = paced().build();
    try (var server = hello()) {
      var text = Calls.enqueue(client.newCall(request(server.uri("/"))));
      awaitWaiting(1);
      assertEquals(0, client.connectionPool().connectionCount());
      limiter.resume();
      assertEquals("hello", text.get());
    }
    assertPermits(1);
  }

  @Test
  void aCancelledSynchronousCallLeavesTheQueue() throws Exception {
    limiter.pause();
    try (var server = hello()) {
      Call call = call(paced(), server.uri("/"));
      var text = execute(call);
      awaitWaiting(1);
      call.cancel();
      assertEquals("Canceled", failure(text).getMessage());
      assertNothingSent(server);
    }
  }

  @Test
  void aCancelledAsynchronousCallLeavesTheQueueAndTellsTheUsersListener() throws Exception {
    limiter.pause();
    var events = new ConcurrentLinkedQueue<String>();
    var client = new OkHttpClient.Builder().eventListenerFactory(call -> listener(events)).build();
    try (var server = hello()) {
      Call call = call(paced(client), server.uri("/"));
      var text = Calls.enqueue(call);
      awaitWaiting(1);
      call.cancel();
      assertEquals("Canceled", failure(text).getMessage());
      assertNothingSent(server);
    }
    assertEquals(List.of("start", "canceled", "failed"), List.copyOf(events));
  }

  private static EventListener listener(ConcurrentLinkedQueue<String> events) {
    return new EventListener() {
      @Override
      public void callStart(Call call) {
        events.add("start");
      }

      @Override
      public void canceled(Call call) {
        events.add("canceled");
      }

      @Override
      public void callFailed(Call call, IOException failure) {
        events.add("failed");
      }
    };
  }

  @Test
  void aCallThatWasCancelledBeforeDoesNotQueue() throws Exception {
    limiter.pause();
    try (var server = hello()) {
      Call call = call(paced(), server.uri("/"));
      call.cancel();
      assertEquals("Canceled", failure(execute(call)).getMessage());
      assertNothingSent(server);
    }
  }

  @Test
  void aRedirectThatWaitsLeavesTheQueueWhenItsCallIsCancelled() throws Exception {
    try (var server =
        new RawServer(
            (request, connection) -> {
              limiter.pause();
              connection.status(302, "Location: /next");
            })) {
      Call call = call(paced(), server.uri("/"));
      var text = execute(call);
      awaitWaiting(1);
      call.cancel();
      assertEquals("Canceled", failure(text).getMessage());
      assertEquals(1, server.arrivals());
    }
    assertPermits(1);
  }

  @Test
  void anInterruptLeavesTheQueue() throws Exception {
    limiter.pause();
    var interrupted = new AtomicBoolean();
    try (var server = hello()) {
      Call call = call(paced(), server.uri("/"));
      var thread =
          new Thread(
              () -> {
                var thrown = assertThrows(InterruptedIOException.class, call::execute);
                assertEquals("interrupted while waiting for a permit", thrown.getMessage());
                interrupted.set(Thread.currentThread().isInterrupted());
              });
      thread.start();
      awaitWaiting(1);
      thread.interrupt();
      thread.join();
      assertTrue(interrupted.get());
      assertNothingSent(server);
    }
  }

  @Test
  void theTimeOutOfACallIncludesItsWait() throws Exception {
    limiter.pause();
    var client = new OkHttpClient.Builder().callTimeout(Duration.ofMillis(50)).build();
    try (var server = hello()) {
      Throwable failure = failure(execute(call(paced(client), server.uri("/"))));
      assertInstanceOf(InterruptedIOException.class, failure);
      assertEquals("timeout", failure.getMessage());
      awaitWaiting(0);
      assertNothingSent(server);
    }
  }

  @Test
  void aWaitThatIsTooLongIsAnIoError() throws Exception {
    limiter.pause();
    PacedOkHttp options = paced().maxWait(Duration.ofMillis(20));
    try (var server = hello()) {
      var thrown = assertThrows(NotSentException.class, () -> get(options, server.uri("/")));
      assertEquals("not sent: no permit within 20ms: paused until resumed", thrown.getMessage());
      Throwable asynchronous = failure(Calls.enqueue(call(options, server.uri("/"))));
      assertInstanceOf(NotSentException.class, asynchronous);
      assertNothingSent(server);
    }
  }

  @Test
  void aCallThatIsCancelledInFlightIsLost() throws Exception {
    var arrived = new CountDownLatch(1);
    try (var server =
        new RawServer(
            (request, connection) -> {
              arrived.countDown();
              connection.socket().getInputStream().read(); // until the client closes
            })) {
      Call call = call(paced(), server.uri("/"));
      var text = execute(call);
      arrived.await();
      call.cancel();
      assertInstanceOf(IOException.class, failure(text));
    }
    awaitOpen(0);
    assertEquals(1, limiter.snapshot().lost());
    assertEquals(1, limiter.snapshot().granted());
  }

  @Test
  void aReadTimeOutIsLost() throws Exception {
    var client = new OkHttpClient.Builder().readTimeout(Duration.ofMillis(50)).build();
    try (var server =
        new RawServer((request, connection) -> connection.socket().getInputStream().read())) {
      assertThrows(InterruptedIOException.class, () -> get(paced(client), server.uri("/")));
    }
    assertEquals(1, limiter.snapshot().lost());
    assertEquals(0, limiter.snapshot().open());
  }

  /** What waits takes the place of a call in flight: the dispatcher's other threads are free. */
  @Test
  void callsThatWaitTakeNoMoreThreadsThanTheDispatcherGivesAHost() throws Exception {
    limiter.pause();
    OkHttpClient client = paced().build();
    var texts = new ArrayList<CompletableFuture<String>>();
    try (var server = hello()) {
      for (int i = 0; i < 20; i++) {
        texts.add(Calls.enqueue(client.newCall(request(server.uri("/")))));
      }
      awaitWaiting(client.dispatcher().getMaxRequestsPerHost());
      assertEquals(5, client.dispatcher().runningCallsCount());
      assertEquals(15, client.dispatcher().queuedCallsCount());
      limiter.resume();
      for (CompletableFuture<String> text : texts) {
        assertEquals("hello", text.get());
      }
    }
    assertPermits(20);
  }

  @Test
  void anUncountedCostIsThrownAndNothingIsSent() throws Exception {
    Limiter tokens = Limiter.of("peer(10/1h of tokens)");
    PacedOkHttp options = paced().limiter(tokens).cost(request -> Cost.of(2));
    try (var server = hello()) {
      assertThrows(IllegalArgumentException.class, () -> get(options, server.uri("/")));
      assertNothingSent(server);
    }
  }

  /** No other thread is needed to grant the permit. */
  @Test
  void aCallOnTheExecutorOfItsLimiterGetsItsPermit() throws Exception {
    ExecutorService one = Executors.newSingleThreadExecutor();
    Limiter own = Limiter.builder("peer(9/1h)").executor(one).build();
    own.pause();
    try (var server = hello()) {
      Call call = call(paced().limiter(own), server.uri("/"));
      Future<Response> response = one.submit(call::execute);
      while (own.snapshot().waiting() != 1) {
        Thread.onSpinWait();
      }
      own.resume();
      response.get(30, TimeUnit.SECONDS).close();
    } finally {
      one.shutdownNow();
    }
    assertEquals(0, own.snapshot().open());
  }

  /** Its thread does something else. Before OkHttp 5.4 only reading or closing ends the permit. */
  @Test
  void aCallThatIsCancelledBetweenTwoReadsIsLost() throws Exception {
    try (var server =
        new RawServer(
            (request, connection) ->
                connection.write("HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\nhalf"))) {
      Call call = call(paced(), server.uri("/"));
      Response response = call.execute();
      assertEquals(1, limiter.snapshot().open());
      call.cancel();
      if (OkHttp.VERSION.startsWith("4")) {
        response.close();
      }
      assertEquals(0, limiter.snapshot().open());
      assertEquals(1, limiter.snapshot().lost());
      response.close();
    }
  }

  @Test
  void aClosedLimiterIsAnIoErrorAlsoForACallThatWaits() throws Exception {
    limiter.pause();
    OkHttpClient client = paced().build();
    try (var server = hello()) {
      var waiting = Calls.enqueue(client.newCall(request(server.uri("/"))));
      awaitWaiting(1);
      limiter.close();
      assertInstanceOf(NotSentException.class, failure(waiting));
      assertThrows(NotSentException.class, () -> get(client, server.uri("/")));
      assertNothingSent(server);
    }
  }
}
