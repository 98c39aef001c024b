package dev.pacegate.reactive;

import dev.pacegate.time.ManualTime;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscriber;
import org.reactivestreams.Subscription;

/** A downstream driven by a test: notes what comes and when, in milliseconds. */
class Sink<T> implements Subscriber<T> {

  private final ManualTime time;

  @SuppressWarnings("NullAway.Init") // set by the first signal
  private Subscription subscription;

  final List<T> elements = new ArrayList<>();
  final List<Long> millis = new ArrayList<>();
  @Nullable Throwable failure;
  boolean completed;

  Sink(ManualTime time) {
    this.time = time;
  }

  Sink<T> request(long n) {
    subscription.request(n);
    return this;
  }

  void cancel() {
    subscription.cancel();
  }

  boolean isOver() {
    return completed || failure != null;
  }

  @Override
  public void onSubscribe(Subscription subscription) {
    this.subscription = subscription;
  }

  @Override
  public void onNext(T element) {
    if (isOver()) {
      throw new AssertionError(element + " comes after the end");
    }
    elements.add(element);
    millis.add(time.nanoTime() / 1_000_000);
  }

  @Override
  public void onError(Throwable reason) {
    if (isOver()) {
      throw new AssertionError("a second end", reason);
    }
    failure = reason;
  }

  @Override
  public void onComplete() {
    if (isOver()) {
      throw new AssertionError("a second end");
    }
    completed = true;
  }
}
