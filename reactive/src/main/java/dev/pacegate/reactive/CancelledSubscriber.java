package dev.pacegate.reactive;

import org.reactivestreams.Subscriber;
import org.reactivestreams.Subscription;

/** Replaces a subscriber that must not be kept reachable. */
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
