package dev.pacegate.reactive;

import static java.util.Objects.requireNonNull;

import dev.pacegate.Limiter;
import dev.pacegate.Permit;
import dev.pacegate.limit.Cost;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscriber;

/** Passes each element on as soon as there is a permit for it. Holds one at most. */
final class Throttle<T> extends Stage<T, T> {

  private final Limiter limiter;
  private final boolean own;
  private final Function<? super T, Cost> cost;

  private @Nullable T held;
  private @Nullable CompletableFuture<Permit> place;
  private volatile @Nullable Permit granted;
  private volatile @Nullable Throwable refused;

  Throttle(Entry entry, Function<? super T, Cost> cost, Subscriber<? super T> downstream) {
    super(downstream);
    this.limiter = entry.limiter().get();
    this.own = entry.own();
    this.cost = cost;
  }

  @Override
  void step() {
    if (held == null) {
      next();
    } else if (granted != null) {
      Permit permit = granted;
      granted = null;
      place = null;
      pass(held, permit);
    } else if (refused != null) {
      fail(refused);
    }
  }

  private void next() {
    T element = take();
    if (element != null) {
      ask(element);
    } else {
      proceed();
    }
  }

  private void proceed() {
    if (isDrained()) {
      complete();
    } else if (demand() > 0) {
      pull();
    }
  }

  private void ask(T element) {
    Permit permit;
    Cost price;
    try {
      price = requireNonNull(cost.apply(element), "the cost function returned null");
      permit = limiter.poll(price);
    } catch (Throwable failure) {
      fail(failure);
      return;
    }
    if (permit != null) {
      pass(element, permit);
    } else {
      held = element;
      stand(price);
    }
  }

  private void stand(Cost price) {
    CompletableFuture<Permit> joined = limiter.acquireAsync(price);
    place = joined;
    var unused = joined.whenComplete(this::answered);
  }

  private void answered(@Nullable Permit permit, @Nullable Throwable refusal) {
    granted = permit;
    refused = refusal;
    stirFromCallback();
  }

  private void pass(T element, Permit permit) {
    held = null;
    try (permit) {
      emit(element);
      permit.answered();
    }
    proceed();
  }

  @Override
  void release() {
    held = null;
    if (place != null) {
      place.cancel(false);
    }
    releaseLate();
    if (own) {
      limiter.close();
    }
  }

  @Override
  void releaseLate() {
    Permit late = granted;
    if (late != null) {
      granted = null;
      late.notSent();
    }
  }
}
