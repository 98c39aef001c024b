package dev.pacegate.reactive;

import static java.util.Objects.requireNonNull;

import java.util.ArrayDeque;
import java.util.Queue;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscriber;
import org.reactivestreams.Subscription;

/** An upstream driven by a test: what is sent waits for demand; it notes what is asked of it. */
final class Source<T> implements Publisher<T>, Subscription {

  private final Queue<T> unsent = new ArrayDeque<>();
  private @Nullable Subscriber<? super T> subscriber;
  private boolean completing;
  private boolean sending;

  long requested;
  long sent;
  boolean cancelled;

  @SafeVarargs
  static <T> Source<T> of(T... elements) {
    var source = new Source<T>();
    for (T element : elements) {
      source.unsent.add(element);
    }
    source.complete();
    return source;
  }

  @Override
  public void subscribe(Subscriber<? super T> subscriber) {
    this.subscriber = subscriber;
    subscriber.onSubscribe(this);
    flush();
  }

  @SafeVarargs
  final void send(T... elements) {
    for (T element : elements) {
      unsent.add(element);
    }
    flush();
  }

  void complete() {
    completing = true;
    flush();
  }

  void fail(Throwable reason) {
    requireNonNull(subscriber).onError(reason);
  }

  /** Sends something though nothing has been asked for. */
  void force(T element) {
    requireNonNull(subscriber).onNext(element);
  }

  /** How many elements have been asked for and not been sent. */
  long outstanding() {
    return requested - sent;
  }

  @Override
  public void request(long n) {
    requested += n;
    flush();
  }

  @Override
  public void cancel() {
    cancelled = true;
  }

  private void flush() {
    if (sending || subscriber == null) {
      return;
    }
    sending = true;
    while (!cancelled && sent < requested && !unsent.isEmpty()) {
      sent++;
      subscriber.onNext(unsent.remove());
    }
    sending = false;
    if (completing && unsent.isEmpty() && !cancelled) {
      completing = false;
      subscriber.onComplete();
    }
  }
}
