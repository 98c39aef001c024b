package dev.pacegate.reactive.tck;

import dev.pacegate.reactive.Operator;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Processor;
import org.reactivestreams.Subscriber;
import org.reactivestreams.Subscription;

/** An operator as the processor that the TCK wants: what comes before its subscriber is kept. */
final class OperatorProcessor<T, R> implements Processor<T, R> {

  private final Operator<T, R> operator;
  private final Queue<Consumer<Subscriber<? super T>>> early = new ArrayDeque<>();
  private @Nullable Subscriber<? super T> stage;

  OperatorProcessor(Operator<T, R> operator) {
    this.operator = operator;
  }

  @Override
  public void subscribe(Subscriber<? super R> subscriber) {
    operator.apply(this::begin).subscribe(subscriber);
  }

  private void begin(Subscriber<? super T> made) {
    Queue<Consumer<Subscriber<? super T>>> kept;
    synchronized (this) {
      stage = made;
      kept = new ArrayDeque<>(early);
      early.clear();
    }
    kept.forEach(signal -> signal.accept(made));
  }

  private void signal(Consumer<Subscriber<? super T>> signal) {
    Subscriber<? super T> now;
    synchronized (this) {
      now = stage;
      if (now == null) {
        early.add(signal);
        return;
      }
    }
    signal.accept(now);
  }

  @Override
  public void onSubscribe(Subscription subscription) {
    if (subscription == null) {
      throw new NullPointerException();
    }
    signal(to -> to.onSubscribe(subscription));
  }

  @Override
  public void onNext(T element) {
    if (element == null) {
      throw new NullPointerException();
    }
    signal(to -> to.onNext(element));
  }

  @Override
  public void onError(Throwable reason) {
    if (reason == null) {
      throw new NullPointerException();
    }
    signal(to -> to.onError(reason));
  }

  @Override
  public void onComplete() {
    signal(Subscriber::onComplete);
  }
}
