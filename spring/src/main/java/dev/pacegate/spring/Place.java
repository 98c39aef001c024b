package dev.pacegate.spring;

import dev.pacegate.Limiter;
import dev.pacegate.Permit;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * The place of one subscription in the queue, then its permit. Cancelling leaves the queue; of a
 * request that has begun the permit is lost.
 */
final class Place {

  private enum PlaceState {
    WAITING,
    BEGUN,
    HANDED_ON,
    GIVEN_UP
  }

  private final CompletableFuture<Permit> queued;
  private final AtomicReference<PlaceState> state = new AtomicReference<>(PlaceState.WAITING);

  private Place(CompletableFuture<Permit> queued) {
    this.queued = queued;
  }

  /** Returns a Mono that waits for a permit at each subscription, and then sends. */
  static <T> Mono<T> mono(Limiter limiter, Duration maxWait, RequestSender<Mono<T>> send) {
    return Mono.defer(
        () -> {
          var place = new Place(limiter.acquireAsync(maxWait));
          return Mono.fromFuture(place.queued, true)
              .flatMap(permit -> place.begin(permit) ? place.sent(permit, send) : Mono.empty())
              .doOnCancel(place::cancel);
        });
  }

  /** As {@link #mono}, for a stream; the permit ends with its end. */
  static <T> Flux<T> flux(Limiter limiter, Duration maxWait, Function<Permit, Publisher<T>> send) {
    return Flux.defer(
        () -> {
          var place = new Place(limiter.acquireAsync(maxWait));
          return Mono.fromFuture(place.queued, true)
              .flatMapMany(permit -> place.begin(permit) ? ending(permit, send) : Flux.<T>empty())
              .doOnCancel(place::cancel);
        });
  }

  /** Sends with a permit, which it ends unless it hands it on to the answer. */
  interface RequestSender<M> {
    M send(Permit permit, Runnable handOn);
  }

  private <T> Mono<T> sent(Permit permit, RequestSender<Mono<T>> send) {
    Mono<T> sent;
    try {
      sent = send.send(permit, () -> state.compareAndSet(PlaceState.BEGUN, PlaceState.HANDED_ON));
    } catch (Throwable failure) {
      permit.failed(failure);
      throw failure;
    }
    return Mono.<T>fromDirect(telling(sent)).doOnError(permit::failed);
  }

  private static <T> Flux<T> ending(Permit permit, Function<Permit, Publisher<T>> send) {
    Publisher<T> sent;
    try {
      sent = send.apply(permit);
    } catch (Throwable failure) {
      permit.failed(failure);
      throw failure;
    }
    return Flux.from(telling(sent)).doOnComplete(permit::answered).doOnError(permit::failed);
  }

  /**
   * Reactor lets errors of the JVM pass all subscribers, up to a caller. There is none here: the
   * subscriber would wait for ever, and the permit stay open.
   */
  private static <T> Publisher<T> telling(Publisher<T> sent) {
    return subscriber -> {
      try {
        sent.subscribe(subscriber);
      } catch (VirtualMachineError | LinkageError failure) {
        throw new IllegalStateException("a publisher could not be subscribed to", failure);
      }
    };
  }

  private boolean begin(Permit permit) {
    if (state.compareAndSet(PlaceState.WAITING, PlaceState.BEGUN)) {
      return true;
    }
    permit.notSent();
    return false;
  }

  private void cancel() {
    PlaceState before =
        state.getAndUpdate(now -> now == PlaceState.HANDED_ON ? now : PlaceState.GIVEN_UP);
    if (before == PlaceState.HANDED_ON
        || queued.cancel(true)
        || queued.isCompletedExceptionally()) {
      return;
    }
    Permit permit = queued.join();
    if (before == PlaceState.WAITING) {
      permit.notSent();
    } else {
      permit.lost();
    }
  }
}
