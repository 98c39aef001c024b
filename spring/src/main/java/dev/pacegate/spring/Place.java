package dev.pacegate.spring;

import dev.pacegate.Permit;
import dev.pacegate.adapter.PacedRequest;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.SignalType;

/**
 * The place of one subscription in the queue, then its permit. Cancelling leaves the queue; of a
 * request that has begun the permit is lost.
 */
final class Place<P> {

  private enum PlaceState {
    WAITING,
    BEGUN,
    HANDED_ON,
    GIVEN_UP,
    LEFT
  }

  /** How what is queued for ends: a permit, or a request that has one. */
  record PlaceEnding<P>(Consumer<P> notSent, Consumer<P> lost, BiConsumer<P, Throwable> failed) {

    static final PlaceEnding<Permit> OF_PERMIT =
        new PlaceEnding<>(Permit::notSent, Permit::lost, Permit::failed);

    static final PlaceEnding<PacedRequest<PeerResponse>> OF_REQUEST =
        new PlaceEnding<>(PacedRequest::notSent, PacedRequest::aborted, PacedRequest::failed);
  }

  private final CompletableFuture<P> queued;
  private final PlaceEnding<P> ending;
  private final AtomicReference<PlaceState> state = new AtomicReference<>(PlaceState.WAITING);

  private Place(CompletableFuture<P> queued, PlaceEnding<P> ending) {
    this.queued = queued;
    this.ending = ending;
  }

  /**
   * Returns a Mono that waits for what {@code queue} gives at each subscription, and then sends.
   */
  static <P, T> Mono<T> mono(
      Supplier<CompletableFuture<P>> queue, PlaceEnding<P> ending, RequestSender<P, T> send) {
    return Mono.defer(
        () -> {
          var place = new Place<>(queue.get(), ending);
          return Mono.fromFuture(place.queued, true)
              .flatMap(permit -> place.begin(permit) ? place.sent(permit, send) : Mono.empty())
              .doOnCancel(place::giveUp)
              .doFinally(place::leave);
        });
  }

  /** As {@link #mono}, for a stream; the permit ends with its end. */
  static <T> Flux<T> flux(
      Supplier<CompletableFuture<Permit>> queue, Function<Permit, Publisher<T>> send) {
    return Flux.defer(
        () -> {
          var place = new Place<>(queue.get(), PlaceEnding.OF_PERMIT);
          return Mono.fromFuture(place.queued, true)
              .flatMapMany(permit -> place.begin(permit) ? ending(permit, send) : Flux.<T>empty())
              .doOnCancel(place::giveUp)
              .doFinally(place::leave);
        });
  }

  /** Sends with a permit, which it ends unless it hands it on to the answer. */
  interface RequestSender<P, T> {
    Mono<T> send(P permit, Runnable handOn);
  }

  private <T> Mono<T> sent(P permit, RequestSender<P, T> send) {
    Mono<T> sent;
    try {
      sent = send.send(permit, () -> state.compareAndSet(PlaceState.BEGUN, PlaceState.HANDED_ON));
    } catch (Throwable failure) {
      ending.failed().accept(permit, failure);
      throw failure;
    }
    return Mono.<T>fromDirect(telling(sent))
        .doOnError(failure -> ending.failed().accept(permit, failure));
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

  private boolean begin(P permit) {
    if (state.compareAndSet(PlaceState.WAITING, PlaceState.BEGUN)) {
      return true;
    }
    ending.notSent().accept(permit);
    return false;
  }

  /** Comes before the cancellation of what was sent, which may throw. */
  private void giveUp() {
    PlaceState before =
        state.getAndUpdate(
            now ->
                switch (now) {
                  case WAITING -> PlaceState.LEFT;
                  case BEGUN -> PlaceState.GIVEN_UP;
                  default -> now;
                });
    if (before == PlaceState.BEGUN) {
      ending.lost().accept(queued.join());
    }
  }

  /**
   * Comes after the cancellation of the wait: Reactor would log the failure of the future as an
   * error that it drops.
   */
  private void leave(SignalType how) {
    if (how == SignalType.CANCEL
        && state.get() == PlaceState.LEFT
        && !queued.cancel(true)
        && !queued.isCompletedExceptionally()) {
      ending.notSent().accept(queued.join());
    }
  }
}
