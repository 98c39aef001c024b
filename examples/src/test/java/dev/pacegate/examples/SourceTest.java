package dev.pacegate.examples;

import static java.util.Objects.requireNonNull;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.net.httpserver.HttpServer;
import dev.pacegate.Limiter;
import dev.pacegate.SourceUnavailableException;
import dev.pacegate.http.PacedHttpClient;
import dev.pacegate.limit.Cost;
import dev.pacegate.limit.Outcome;
import dev.pacegate.limit.spi.FedMeter;
import dev.pacegate.limit.spi.MeterSource;
import dev.pacegate.limit.spi.Past;
import dev.pacegate.pekko.Throttle;
import dev.pacegate.reactive.Pace;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;
import org.apache.pekko.actor.ActorSystem;
import org.apache.pekko.stream.javadsl.Sink;
import org.apache.pekko.stream.javadsl.Source;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import reactor.core.publisher.Flux;

/** HTTP and streams on a limiter whose permits come from a source, such as one of Redis. */
@Timeout(180)
@Tag("jdk") // the HTTP client is that of the JDK
class SourceTest {

  private final HandFed source = new HandFed();
  private final Limiter limiter = Limiter.builder("100/1s").source(source).build();

  @AfterEach
  void nothingIsLeft() {
    limiter.close();
    assertEquals(0, limiter.snapshot().waiting());
    assertEquals(0, limiter.snapshot().open());
  }

  @Test
  void httpWaitsForTheSource() throws Exception {
    HttpServer server = server();
    try {
      HttpClient client = client(Duration.ofSeconds(20));
      HttpRequest request = request(server);
      var first = client.sendAsync(request, BodyHandlers.ofString());
      var second = client.sendAsync(request, BodyHandlers.ofString());
      assertFalse(first.isDone());
      source.feed(1);
      assertEquals(200, await(first).statusCode());
      assertFalse(second.isDone());
      source.feed(1);
      assertEquals(200, await(second).statusCode());
      source.refuse();
      var refused = assertThrows(IOException.class, () -> send(client, request));
      assertTrue(("" + refused.getMessage()).endsWith("the store is down"), refused::toString);
      var later = client.sendAsync(request, BodyHandlers.ofString());
      assertSaysWhy(assertThrows(ExecutionException.class, () -> await(later)).getCause());
    } finally {
      server.stop(0);
    }
  }

  @Test
  void httpThatWaitsTooLongSaysWhatTheSourceWaitsFor() throws Exception {
    HttpServer server = server();
    try {
      source.closed = "the store is closed for 3 s";
      HttpClient client = client(Duration.ofMillis(20));
      var tooLong = assertThrows(IOException.class, () -> send(client, request(server)));
      assertTrue(("" + tooLong.getMessage()).endsWith(source.closed), tooLong::toString);
    } finally {
      server.stop(0);
    }
  }

  @Test
  void aFluxWaitsForTheSourceAndEndsWithItsReason() throws Exception {
    var two = Flux.just(1, 2).transform(Pace.throttle(limiter)).collectList().toFuture();
    source.feed(1);
    assertFalse(two.isDone());
    source.feed(1);
    assertEquals(List.of(1, 2), await(two));
    var refused = Flux.just(3).transform(Pace.throttle(limiter)).collectList().toFuture();
    source.refuse();
    var failure = assertThrows(ExecutionException.class, () -> refused.get(20, TimeUnit.SECONDS));
    assertSaysWhy(failure.getCause());
  }

  @Test
  void aPekkoStreamWaitsForTheSourceAndEndsWithItsReason() throws Exception {
    ActorSystem system = ActorSystem.create("source");
    try {
      var two = Source.from(List.of(1, 2)).via(Throttle.of(limiter)).runWith(Sink.seq(), system);
      source.feed(1);
      assertFalse(two.toCompletableFuture().isDone());
      source.feed(1);
      assertEquals(List.of(1, 2), await(two.toCompletableFuture()));
      var refused = Source.single(3).via(Throttle.of(limiter)).runWith(Sink.seq(), system);
      source.refuse();
      var failure =
          assertThrows(ExecutionException.class, () -> await(refused.toCompletableFuture()));
      assertSaysWhy(failure.getCause());
    } finally {
      system.terminate();
      await(system.getWhenTerminated().toCompletableFuture());
    }
  }

  private HttpClient client(Duration maxWait) {
    return PacedHttpClient.builder(HttpClient.newHttpClient())
        .limiter(limiter)
        .maxWait(maxWait)
        .build();
  }

  private static HttpResponse<String> send(HttpClient client, HttpRequest request)
      throws IOException, InterruptedException {
    return client.send(request, BodyHandlers.ofString());
  }

  private static HttpServer server() throws IOException {
    HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext(
        "/",
        exchange -> {
          exchange.sendResponseHeaders(200, -1);
          exchange.close();
        });
    server.start();
    return server;
  }

  private static HttpRequest request(HttpServer server) {
    int port = server.getAddress().getPort();
    return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/")).build();
  }

  private static <T extends @Nullable Object> T await(CompletableFuture<T> future)
      throws Exception {
    return future.get(20, TimeUnit.SECONDS);
  }

  private static void assertSaysWhy(@Nullable Throwable failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof SourceUnavailableException) {
        assertTrue(("" + cause.getMessage()).contains("the store is down"), cause::toString);
        return;
      }
    }
    throw new AssertionError("not a word of the source", failure);
  }

  /** A source that gives what a test feeds it. */
  private static final class HandFed implements MeterSource {

    private @Nullable MeterContext context;
    private long permits; // guarded by the limiter
    volatile @Nullable String closed;

    @Override
    public FedMeter newMeter(MeterContext context) {
      this.context = context;
      return new Meter();
    }

    void feed(long more) {
      requireNonNull(context).sink().tell(now -> permits += more);
    }

    void refuse() {
      requireNonNull(context).sink().refuse("the store is down");
    }

    private final class Meter implements FedMeter {

      @Override
      public long nanosUntil(long since, long now, Cost cost) {
        return cost.amount() <= permits ? 0 : AT_EVENT;
      }

      @Override
      public long atLeast(long since, long now, Cost ahead, Cost cost) {
        return 0;
      }

      @Override
      public void release(long since, long now, Cost cost) {
        permits -= cost.amount();
      }

      @Override
      public boolean tracks() {
        return true;
      }

      @Override
      public void end(long startedAt, long now, Cost cost, Outcome end) {}

      @Override
      public void adopt(long startedAt, Cost cost) {}

      @Override
      public @Nullable Runnable errand(long now, Cost wanted) {
        return null;
      }

      @Override
      public @Nullable String unavailable(long now) {
        return closed;
      }

      @Override
      public void retire(long now) {}

      @Override
      public boolean recall(long now, Past past) {
        return false;
      }

      @Override
      public long restsIn(long now) {
        return AT_EVENT;
      }

      @Override
      public void most(LongConsumer sink) {
        sink.accept(0);
      }
    }
  }
}
