package dev.pacegate.reactive;

import java.util.concurrent.atomic.AtomicLong;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscriber;
import org.reactivestreams.Subscription;

/** A publisher for one subscriber, whose elements are sent by hand. */
final class ByHand<T> implements Publisher<T>, Subscription {

  final AtomicLong requested = new AtomicLong(); // and not sent yet
  volatile boolean cancelled;
  volatile Subscriber<? super T> subscriber = CancelledSubscriber.INSTANCE;

  @Override
  public void subscribe(Subscriber<? super T> subscriber) {
    this.subscriber = subscriber;
    subscriber.onSubscribe(this);
  }

  /** Sends it, whether it was requested or not. */
  void send(T element) {
    if (requested.get() != Long.MAX_VALUE) {
      requested.decrementAndGet();
    }
    subscriber.onNext(element);
  }

  void complete() {
    subscriber.onComplete();
  }

  void fail(Throwable reason) {
    subscriber.onError(reason);
  }

  @Override
  public void request(long n) {
    requested.accumulateAndGet(n, (a, b) -> a + b < 0 ? Long.MAX_VALUE : a + b);
  }

  @Override
  public void cancel() {
    cancelled = true;
  }
}
