package dev.pacegate.http;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.pacegate.Limiter;
import dev.pacegate.adapter.PacedRequest;
import dev.pacegate.adapter.PacingOptions;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodySubscriber;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A body that is cancelled after its end. */
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
