package dev.pacegate.http;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.pacegate.Limiter;
import dev.pacegate.adapter.PacedRequest;
import dev.pacegate.adapter.PacingOptions;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodySubscriber;
import java.net.http.HttpResponse.BodySubscribers;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The end of a body, and of the request with it. */
@Timeout(60)
class TrackedBodyTest {

  private static final class Options extends PacingOptions<HttpRequest, HttpResponse<?>, Options> {
    Options() {
      super(new JdkMessages());
    }

    PacedRequest<HttpResponse<?>> acquire() throws IOException, InterruptedException {
      return pacing().newCall().acquire(HttpRequest.newBuilder(URI.create("http://peer/")).build());
    }
  }

  /** As the JDK's streams do when they are closed, whether they were read to the end or not. */
  private static final class CancelsAfterTheEnd implements BodySubscriber<Void> {
    private Flow.Subscription source = new Silent();

    @Override
    public CompletionStage<Void> getBody() {
      return new CompletableFuture<>();
    }

    @Override
    public void onSubscribe(Flow.Subscription subscription) {
      source = subscription;
    }

    @Override
    public void onNext(List<ByteBuffer> item) {}

    @Override
    public void onError(Throwable failure) {}

    @Override
    public void onComplete() {
      source.cancel();
    }
  }

  private static final class Silent implements Flow.Subscription {
    @Override
    public void request(long n) {}

    @Override
    public void cancel() {}
  }

  /** The client takes one more thread to ask any other for its body. */
  @Test
  void aCollectorOfTheJdkIsReadByOneOfItsOwn() throws Exception {
    Limiter limiter = Limiter.of("peer(1000/1h)");
    for (BodySubscriber<?> collector :
        List.of(
            BodySubscribers.ofString(UTF_8),
            BodySubscribers.ofByteArray(),
            BodySubscribers.discarding(),
            BodySubscribers.replacing(1))) {
      assertSame(
          HttpResponse.class.getModule(),
          TrackedBody.of(collector, new Options().limiter(limiter).acquire())
              .getClass()
              .getModule(),
          () -> collector.getClass().getName());
    }
  }

  @Test
  void aCollectedBodyEndsItsRequestAndIsHandedOn() throws Exception {
    Limiter limiter = Limiter.of("peer(1000/1h)");
    PacedRequest<HttpResponse<?>> request = new Options().limiter(limiter).acquire();
    request.headers(200, Map.of());
    BodySubscriber<String> body = TrackedBody.of(BodySubscribers.ofString(UTF_8), request);
    body.onSubscribe(new Silent());
    body.onNext(List.of(ByteBuffer.wrap("hel".getBytes(UTF_8))));
    body.onNext(List.of(ByteBuffer.wrap("lo".getBytes(UTF_8))));
    assertEquals(1, limiter.snapshot().open());
    body.onComplete();
    assertEquals("hello", body.getBody().toCompletableFuture().join());
    assertEquals(0, limiter.snapshot().open());
    assertEquals(0, limiter.snapshot().lost());
  }

  @Test
  void aCollectedBodyThatBreaksOffIsLost() throws Exception {
    Limiter limiter = Limiter.of("peer(1000/1h)");
    PacedRequest<HttpResponse<?>> request = new Options().limiter(limiter).acquire();
    request.headers(200, Map.of());
    BodySubscriber<String> body = TrackedBody.of(BodySubscribers.ofString(UTF_8), request);
    body.onSubscribe(new Silent());
    var failure = new IOException();
    body.onError(failure);
    var reported =
        assertThrows(CompletionException.class, () -> body.getBody().toCompletableFuture().join());
    assertSame(failure, reported.getCause());
    assertEquals(1, limiter.snapshot().lost());
  }

  /** No array has room for that many bytes: the collector throws, and tells of no body. */
  @Test
  void aBodyThatIsTooLargeToCollectFails() throws Exception {
    PacedRequest<HttpResponse<?>> request =
        new Options().limiter(Limiter.of("peer(1000/1h)")).acquire();
    request.headers(200, Map.of());
    BodySubscriber<byte[]> body = TrackedBody.of(BodySubscribers.ofByteArray(), request);
    body.onSubscribe(new Silent());
    ByteBuffer part = ByteBuffer.allocate(1 << 20);
    for (long left = Integer.MAX_VALUE - 1; left > 0; left -= part.capacity()) {
      body.onNext(List.of(part.duplicate().limit((int) Math.min(left, part.capacity()))));
    }
    assertThrows(OutOfMemoryError.class, body::onComplete);
    assertThrows(CompletionException.class, () -> body.getBody().toCompletableFuture().join());
  }

  @Test
  void aBodyThatIsCancelledAfterItsEndAwaitsItsResponse() throws Exception {
    Limiter limiter = Limiter.of("peer(1000/1h)");
    PacedRequest<HttpResponse<?>> request =
        new Options().limiter(limiter).settle((response, cost) -> cost).acquire();
    request.headers(200, Map.of());
    var body = new TrackedBody<>(new CancelsAfterTheEnd(), request);
    body.onSubscribe(new Silent());
    body.onComplete();
    assertEquals(1, limiter.snapshot().open());
    request.failed(new IOException());
    assertEquals(0, limiter.snapshot().open());
    assertEquals(0, limiter.snapshot().lost());
  }
}
