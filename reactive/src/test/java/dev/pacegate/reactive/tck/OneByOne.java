package dev.pacegate.reactive.tck;

import static java.util.Objects.requireNonNull;

import dev.pacegate.reactive.Operator;
import java.util.List;
import org.reactivestreams.Subscriber;
import org.reactivestreams.Subscription;

/** Around batches of one: passes on what is in them. All else is left as it is. */
record OneByOne<T>(Subscriber<? super T> downstream) implements Subscriber<List<T>> {

  static <T> Operator<T, T> of(Operator<T, List<T>> operator) {
    return upstream ->
        downstream ->
            operator.apply(upstream).subscribe(new OneByOne<T>(requireNonNull(downstream)));
  }

  @Override
  public void onSubscribe(Subscription subscription) {
    downstream.onSubscribe(subscription);
  }

  @Override
  public void onNext(List<T> batch) {
    downstream.onNext(batch.get(0));
  }

  @Override
  public void onError(Throwable reason) {
    downstream.onError(reason);
  }

  @Override
  public void onComplete() {
    downstream.onComplete();
  }
}
