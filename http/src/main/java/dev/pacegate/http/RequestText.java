package dev.pacegate.http;

import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpResponse.BodySubscriber;
import java.net.http.HttpResponse.BodySubscribers;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.Flow;

/**
 * Reads the body of a request, for a cost, key or limiter that depends on what it says: the model
 * of a prompt, or how many tokens the response may have.
 */
public final class RequestText {

  private RequestText() {}

  /**
   * Returns the body as UTF-8 text, without changing what is sent. Empty if there is none, or if it
   * is not of {@code BodyPublishers.ofString} or {@code ofByteArray}: other publishers may give
   * their bytes only once, or block.
   */
  public static String of(HttpRequest request) {
    return request
        .bodyPublisher()
        .filter(JdkMessages::isInMemory)
        .map(RequestText::read)
        .orElse("");
  }

  private static String read(BodyPublisher body) {
    BodySubscriber<String> text = BodySubscribers.ofString(StandardCharsets.UTF_8);
    body.subscribe(new Collector(text));
    return text.getBody().toCompletableFuture().getNow(""); // bytes in memory come at once
  }

  /** Hands on single buffers as lists of one. */
  private record Collector(BodySubscriber<String> text) implements Flow.Subscriber<ByteBuffer> {

    @Override
    public void onSubscribe(Flow.Subscription subscription) {
      text.onSubscribe(subscription);
    }

    @Override
    public void onNext(ByteBuffer item) {
      text.onNext(List.of(item));
    }

    @Override
    public void onError(Throwable failure) {
      text.onError(failure);
    }

    @Override
    public void onComplete() {
      text.onComplete();
    }
  }
}
