package dev.pacegate.reactive.tck;

import static java.util.Objects.requireNonNull;

import dev.pacegate.reactive.Operator;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscriber;
import org.reactivestreams.Subscription;

/**
 * Around an operator that makes one of several: upstream sends the next element only when
 * downstream has asked for it and has got the one before. So it passes on what it gets, as the TCK
 * expects; all else is left as it is.
 */
final class Lockstep<T> {

  // Not downstream, which is to be forgotten when it cancels.
  private @Nullable Subscription upstream;
  private long credit;
  private boolean underWay;

  static <T> Operator<T, T> of(Operator<T, T> operator) {
    return upstream ->
        downstream -> {
          requireNonNull(downstream);
          var lockstep = new Lockstep<T>();
          operator
              .apply(stage -> upstream.subscribe(lockstep.new Before(stage)))
              .subscribe(lockstep.new After(downstream));
        };
  }

  private void next() {
    Subscription asked;
    synchronized (this) {
      if (underWay || credit == 0 || upstream == null) {
        return;
      }
      credit -= credit == Long.MAX_VALUE ? 0 : 1;
      underWay = true;
      asked = upstream;
    }
    asked.request(1);
  }

  private synchronized void add(long n) {
    credit = n < 0 ? credit : credit + n < 0 ? Long.MAX_VALUE : credit + n;
  }

  /** Between upstream and the operator, which asks for all. */
  private final class Before implements Subscriber<T>, Subscription {

    private final Subscriber<? super T> stage;
    private @Nullable Subscription subscription;

    Before(Subscriber<? super T> stage) {
      this.stage = stage;
    }

    @Override
    public void onSubscribe(Subscription given) {
      if (given == null || subscription != null) {
        stage.onSubscribe(given);
        return;
      }
      subscription = given;
      stage.onSubscribe(this);
    }

    @Override
    public void onNext(T element) {
      stage.onNext(element);
    }

    @Override
    public void onError(Throwable reason) {
      stage.onError(reason);
    }

    @Override
    public void onComplete() {
      stage.onComplete();
    }

    @Override
    public void request(long n) {
      synchronized (Lockstep.this) {
        upstream = subscription;
      }
      next();
    }

    @Override
    public void cancel() {
      if (subscription != null) {
        subscription.cancel();
      }
    }
  }

  /** Between the operator and downstream. */
  private final class After implements Subscriber<T> {

    private final Subscriber<? super T> downstream;

    After(Subscriber<? super T> downstream) {
      this.downstream = downstream;
    }

    @Override
    public void onSubscribe(Subscription given) {
      downstream.onSubscribe(
          new Subscription() {
            @Override
            public void request(long n) {
              add(n);
              given.request(n);
              next();
            }

            @Override
            public void cancel() {
              given.cancel();
            }
          });
    }

    @Override
    public void onNext(T element) {
      synchronized (Lockstep.this) {
        underWay = false;
      }
      downstream.onNext(element);
      next();
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
}
