package dev.pacegate.reactive;

import static java.util.Objects.requireNonNull;

import dev.pacegate.CostTooLargeException;
import dev.pacegate.Limiter;
import dev.pacegate.Permit;
import dev.pacegate.RefusedException;
import dev.pacegate.limit.Cost;
import dev.pacegate.time.Durations;
import java.time.Duration;
import java.util.function.Function;
import org.reactivestreams.Subscriber;

/** Passes each element on at once, or fails. Never holds one. */
final class Enforce<T> extends Stage<T, T> {

  private final LimiterSource source;
  private final Limiter limiter;
  private final Function<? super T, Cost> cost;

  Enforce(LimiterSource source, Function<? super T, Cost> cost, Subscriber<? super T> downstream) {
    super(downstream);
    this.source = source;
    this.limiter = source.limiter();
    this.cost = cost;
  }

  @Override
  void step() {
    T element = take();
    if (element != null) {
      ask(element);
    }
    proceed();
  }

  private void ask(T element) {
    Permit permit;
    try {
      permit = permit(requireNonNull(cost.apply(element), "the cost function returned null"));
    } catch (Throwable failure) {
      fail(failure);
      return;
    }
    try (permit) {
      emit(element);
      permit.answered();
    }
  }

  private Permit permit(Cost price) {
    try {
      return limiter.tryAcquire(price).orElseThrow(() -> exceeded(price));
    } catch (CostTooLargeException never) {
      throw new RateExceededException("can never pass: " + never.getMessage(), never);
    }
  }

  private RateExceededException exceeded(Cost price) {
    String exceeded = "rate exceeded: limiter " + limiter.name() + " lets a cost of " + price;
    try {
      Duration wait = limiter.estimateWait(price);
      return new RateExceededException(
          exceeded + " through in " + Durations.brief(wait) + " or later", null);
    } catch (RefusedException noEstimate) {
      return new RateExceededException(exceeded + " not through: " + noEstimate.getMessage(), null);
    }
  }

  @Override
  void release() {
    source.release(limiter);
  }
}
