package dev.pacegate.reactive;

import static java.util.Objects.requireNonNull;

import dev.pacegate.Limiter;
import dev.pacegate.limit.Cost;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscriber;

/**
 * Calls a function for each element as soon as there is a permit, and passes on its results.
 *
 * <p>Only one call at a time waits in the limiter's queue: the next element is taken when the
 * function has been called for the last. So a stream has one place there, whatever is under way,
 * and the function is called for one element after another.
 */
final class MapThrottled<T, R> extends Stage<T, R> {

  private final Limiter limiter;
  private final Function<? super T, Cost> cost;
  private final Function<? super T, ? extends CompletionStage<R>> function;
  private final Concurrency concurrency;

  private final Set<Call<R>> calls = new LinkedHashSet<>(); // in the order of their elements
  private final Queue<Call<R>> answered = new ConcurrentLinkedQueue<>(); // if they need no order
  private volatile boolean starting; // a call waits for its permit
  private volatile @Nullable Throwable broken; // the failure of a call

  MapThrottled(
      Limiter limiter,
      Function<? super T, Cost> cost,
      Function<? super T, ? extends CompletionStage<R>> function,
      Concurrency concurrency,
      Subscriber<? super R> downstream) {
    super(downstream);
    this.limiter = limiter;
    this.cost = cost;
    this.function = function;
    this.concurrency = concurrency;
  }

  // ---- reports of calls, from any thread, before they stir

  /** The function has been called. */
  void made() {
    starting = false;
  }

  void answered(Call<R> call) {
    if (!concurrency.isOrdered()) {
      answered.add(call);
    }
  }

  void breaks(Throwable reason) {
    if (broken == null) {
      broken = reason;
    }
  }

  boolean isBroken() {
    return broken != null || isFaulty();
  }

  // ---- in a turn

  @Override
  void step() {
    if (broken != null) {
      fail(broken);
      return;
    }
    T element = take();
    if (element != null) {
      start(element);
    }
    deliver();
    if (isDrained() && calls.isEmpty()) {
      complete();
    } else if (!starting && isAsked() && calls.size() < concurrency.atOnce()) {
      pull();
    }
  }

  private void start(T element) {
    var call = new Call<R>(this, () -> function.apply(element));
    starting = true;
    try {
      call.start(limiter, requireNonNull(cost.apply(element), "the cost function returned null"));
    } catch (Throwable failure) {
      calls.add(call);
      fail(failure);
      return;
    }
    R answer = goesFirst() ? call.answer() : null;
    if (answer == null) {
      calls.add(call);
    } else {
      emit(answer);
    }
  }

  /** Returns whether the answer of the call made last would be the next to be passed on. */
  private boolean goesFirst() {
    return concurrency.isOrdered() && calls.isEmpty() && !isOver() && demand() > 0;
  }

  private void deliver() {
    while (!isOver() && demand() > 0) {
      Call<R> next = next();
      R answer = next == null ? null : next.answer();
      if (answer == null) {
        return;
      }
      calls.remove(next);
      emit(answer);
    }
  }

  private @Nullable Call<R> next() {
    if (!concurrency.isOrdered()) {
      return answered.poll();
    }
    Iterator<Call<R>> inOrder = calls.iterator();
    return inOrder.hasNext() ? inOrder.next() : null;
  }

  @Override
  void release() {
    calls.forEach(Call::abandon);
    calls.clear();
    answered.clear();
  }

  @Override
  void releaseLate() {
    answered.clear();
  }
}
