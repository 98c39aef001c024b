package dev.pacegate.pekko;

import dev.pacegate.audit.Audit;
import dev.pacegate.audit.Verdict;
import dev.pacegate.limit.Limit;
import dev.pacegate.time.NanoClock;
import java.util.ArrayList;
import java.util.List;
import org.apache.pekko.NotUsed;
import org.apache.pekko.stream.javadsl.Sink;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscriber;
import org.reactivestreams.Subscription;

/**
 * Records what comes out of a stream, when, and how it ends; asks for all unless told otherwise.
 */
final class Arrivals<T> implements Subscriber<T> {

  /** An element and the millisecond in which it came. */
  record Arrival<T>(long at, T element) {}

  private final NanoClock clock;
  final List<Arrival<T>> all = new ArrayList<>();
  final List<Long> instants = new ArrayList<>();
  @Nullable Throwable failure;
  boolean completed;
  private @Nullable Subscription subscription;
  private long first = Long.MAX_VALUE;

  Arrivals(NanoClock clock) {
    this.clock = clock;
  }

  /** Asks for so many at first. */
  Arrivals<T> asking(long count) {
    first = count;
    return this;
  }

  void ask(long count) {
    if (subscription != null) {
      subscription.request(count);
    }
  }

  Sink<T, NotUsed> sink() {
    return Sink.fromSubscriber(this);
  }

  static <T> Arrival<T> at(long millis, T element) {
    return new Arrival<>(millis, element);
  }

  List<T> elements() {
    return all.stream().map(Arrival::element).toList();
  }

  @Nullable String mistake() {
    return failure == null ? null : failure.getMessage();
  }

  Verdict verdict(Limit limit) {
    Audit audit = Audit.of(limit);
    instants.forEach(audit::add);
    return audit.verdict();
  }

  void cancel() {
    if (subscription != null) {
      subscription.cancel();
    }
  }

  @Override
  public void onSubscribe(Subscription started) {
    subscription = started;
    if (first > 0) {
      started.request(first);
    }
  }

  @Override
  public void onNext(T element) {
    instants.add(clock.nanoTime());
    all.add(new Arrival<>(clock.nanoTime() / 1_000_000, element));
  }

  @Override
  public void onError(Throwable cause) {
    failure = cause;
  }

  @Override
  public void onComplete() {
    completed = true;
  }
}
