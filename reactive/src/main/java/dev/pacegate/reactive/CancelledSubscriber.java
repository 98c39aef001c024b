package dev.pacegate.reactive;

import org.reactivestreams.Subscriber;
import org.reactivestreams.Subscription;

/** Takes the place of a subscriber that is to be forgotten. */
enum CancelledSubscriber implements Subscriber<Object> {
  INSTANCE;

  @Override
  public void onSubscribe(Subscription subscription) {}

  @Override
  public void onNext(Object element) {}

  @Override
  public void onError(Throwable reason) {}

  @Override
  public void onComplete() {}
}
