package dev.pacegate.http;

import dev.pacegate.adapter.PacedRequest;
import java.net.http.HttpResponse.BodySubscriber;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;

/** The body of an answer, whose end is told to its request. */
final class TrackedBody<T> implements BodySubscriber<T> {

  private final BodySubscriber<T> reader;
  private final PacedRequest<?> request;
  private volatile boolean complete; // then it may still await its response

  TrackedBody(BodySubscriber<T> reader, PacedRequest<?> request) {
    this.reader = reader;
    this.request = request;
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
