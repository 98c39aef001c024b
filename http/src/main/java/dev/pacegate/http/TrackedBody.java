package dev.pacegate.http;

import dev.pacegate.adapter.PacedRequest;
import java.net.http.HttpResponse.BodySubscriber;
import java.net.http.HttpResponse.BodySubscribers;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;

/** The body of an answer, whose end is told to its request. */
final class TrackedBody<T> implements BodySubscriber<T> {

  /** The JDK's readers whose body is there when they have got all of it. */
  private static final Set<Class<?>> COLLECTORS =
      Set.of(BodySubscribers.ofByteArray().getClass(), BodySubscribers.discarding().getClass());

  private final BodySubscriber<T> reader;
  private final PacedRequest<?> request;
  private volatile boolean complete; // then it may still await its response

  TrackedBody(BodySubscriber<T> reader, PacedRequest<?> request) {
    this.reader = reader;
    this.request = request;
  }

  /**
   * Returns what reads the body for {@code reader}. The JDK's client asks any reader but its own
   * for the body on one more thread, as {@code getBody} might block; so this is one of its own
   * where that is the same.
   */
  static <T> BodySubscriber<T> of(BodySubscriber<T> reader, PacedRequest<?> request) {
    var tracked = new TrackedBody<>(reader, request);
    return COLLECTORS.contains(reader.getClass())
        ? BodySubscribers.fromSubscriber(tracked, TrackedBody::collected)
        : tracked;
  }

  private T collected() {
    var body = reader.getBody().toCompletableFuture();
    if (!body.isDone()) { // its reader has thrown, such as for want of memory
      throw new IllegalStateException("the body was not collected");
    }
    try {
      return body.join();
    } catch (CompletionException failed) {
      if (failed.getCause() instanceof RuntimeException failure) {
        throw failure; // the client reports it as it is
      }
      throw failed;
    }
  }

  @Override
  public CompletionStage<T> getBody() {
    return reader.getBody();
  }

  @Override
  public void onSubscribe(Flow.Subscription subscription) {
    reader.onSubscribe(
        new Flow.Subscription() {
          @Override
          public void request(long n) {
            subscription.request(n);
          }

          @Override
          public void cancel() {
            if (!complete) {
              request.aborted();
            }
            subscription.cancel();
          }
        });
  }

  @Override
  public void onNext(List<ByteBuffer> item) {
    item.forEach(request::bodyPart);
    reader.onNext(item);
  }

  @Override
  public void onError(Throwable failure) {
    request.aborted();
    reader.onError(failure);
  }

  @Override
  public void onComplete() {
    complete = true;
    request.bodyEnded();
    reader.onComplete();
  }
}
