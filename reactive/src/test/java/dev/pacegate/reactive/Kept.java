package dev.pacegate.reactive;

import dev.pacegate.time.Time;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscriber;
import org.reactivestreams.Subscription;

/** A subscriber that keeps what comes, and when it came. */
final class Kept<R> implements Subscriber<R> {

  final List<R> elements = Collections.synchronizedList(new ArrayList<>());
  final List<Long> instants = Collections.synchronizedList(new ArrayList<>());
  volatile boolean completed;
  volatile @Nullable Throwable failure;
  volatile Subscription subscription = new ByHand<>();
  Consumer<R> then = element -> {};
  private final Time time;
  private final long first;

  /** Requests {@code first} elements at once. */
  Kept(Time time, long first) {
    this.time = time;
    this.first = first;
  }

  @Override
  public void onSubscribe(Subscription subscription) {
    this.subscription = subscription;
    if (first > 0) {
      subscription.request(first);
    }
  }

  @Override
  public void onNext(R element) {
    if (isOver()) {
      throw new AssertionError(element + " after the end");
    }
    instants.add(time.nanoTime());
    elements.add(element);
    then.accept(element);
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

  boolean isOver() {
    return completed || failure != null;
  }

  /** Returns the instants in milliseconds. */
  List<Long> millis() {
    return instants.stream().map(nanos -> nanos / 1_000_000).toList();
  }
}
