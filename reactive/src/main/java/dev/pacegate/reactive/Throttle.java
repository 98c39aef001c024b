package dev.pacegate.reactive;

import static java.util.Objects.requireNonNull;

import dev.pacegate.Limiter;
import dev.pacegate.Permit;
import dev.pacegate.limit.Cost;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscriber;

/** Passes each element on as soon as there is a permit for it. Holds at most one. */
final class Throttle<T> extends Stage<T, T> {

  private final LimiterSource source;
  private final Limiter limiter;
  private final Function<? super T, Cost> cost;
  private final PendingPermit pending;
  private @Nullable T held;

  Throttle(LimiterSource source, Function<? super T, Cost> cost, Subscriber<? super T> downstream) {
    super(downstream);
    this.source = source;
    this.limiter = source.limiter();
    this.cost = cost;
    this.pending = new PendingPermit(limiter, this::stirFromCallback);
  }

  @Override
  void step() {
    if (held == null) {
      next();
    } else {
      look(held);
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
      pending.ask(price);
    }
  }

  /** Handles the answer to the permit that {@code waiting} waits for. */
  private void look(T waiting) {
    Permit permit = pending.permit();
    Throwable refusal = pending.refusal();
    if (permit != null) {
      pending.used();
      pass(waiting, permit);
    } else if (refusal != null) {
      fail(refusal);
    }
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
    pending.giveUp();
    source.release(limiter);
  }

  @Override
  void releaseLate() {
    pending.giveUp();
  }
}
