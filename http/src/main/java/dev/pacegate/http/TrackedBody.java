package dev.pacegate.http;

import dev.pacegate.Permit;
import java.net.http.HttpResponse.BodySubscriber;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;

/** The body of an answer; its end is the end of the permit. */
final class TrackedBody<T> implements BodySubscriber<T> {

  private final BodySubscriber<T> reader;
  private final Permit permit;
  private final Runnable whenIn;

  /** {@code whenIn} is told that all of the body is in. */
  TrackedBody(BodySubscriber<T> reader, Permit permit, Runnable whenIn) {
    this.reader = reader;
    this.permit = permit;
    this.whenIn = whenIn;
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
            permit.lost(); // unless all of it was there: then it was answered
            subscription.cancel();
          }
        });
  }

  @Override
  public void onNext(List<ByteBuffer> item) {
    reader.onNext(item);
  }

  @Override
  public void onError(Throwable failure) {
    permit.lost();
    reader.onError(failure);
  }

  @Override
  public void onComplete() {
    whenIn.run();
    reader.onComplete();
  }
}
