package dev.pacegate.reactive;

import static java.util.Objects.requireNonNull;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscriber;
import org.reactivestreams.Subscription;

/**
 * One subscription of an operator. It requests one element at a time, unless the operator receives
 * them otherwise. Signals from upstream, downstream or the limiter are stored and handled in a
 * turn. So operators know no concurrency: {@link #step} and {@link #release} are called by one
 * thread at a time, and so are the methods marked "in a turn".
 *
 * <p>When upstream fails or downstream cancels, it ends before the next step; only an element that
 * came just before the failure gets one step to go on.
 *
 * @param <T> the type of elements that come in
 * @param <R> the type of elements that go out
 */
abstract class Stage<T, R> extends DrainLoop implements Subscriber<T>, Subscription {

  // Written by upstream.
  private @Nullable Subscription upstream;
  private final AtomicReference<@Nullable T> inbox = new AtomicReference<>();
  private volatile boolean completed;
  private volatile @Nullable Throwable failure;

  // Written by downstream.
  private final AtomicLong requested = new AtomicLong();
  private volatile @Nullable Throwable fault;
  private volatile boolean cancelled;

  private final StreamContext context;

  // Used in turns only.
  private Subscriber<? super R> downstream;
  private boolean greeted;
  private boolean pulled;
  private boolean over;
  private long emitted;

  Stage(Subscriber<? super R> downstream) {
    this.downstream = downstream;
    this.context = StreamContext.of(downstream);
  }

  /** Begins the stream. */
  final void subscribeTo(Publisher<T> upstream) {
    context.subscribe(upstream, this);
  }

  // ---- what an operator implements

  /** Does what can be done now. */
  abstract void step();

  /**
   * Stores an element, on upstream's thread and maybe during a turn: for {@link #take}, unless the
   * operator overrides it. An exception fails the stream.
   */
  void receive(T element) {
    if (inbox.getPlain() != null) {
      throw unrequested();
    }
    inbox.setRelease(element);
  }

  /** Returns the failure of a stream whose upstream ignores demand. */
  static IllegalStateException unrequested() {
    return new IllegalStateException("upstream has sent more than was requested");
  }

  /** The end, by completion, failure or cancellation: releases what is held, and stops waiting. */
  abstract void release();

  /** A signal has come after the end: releases what it brought. */
  void releaseLate() {}

  // ---- what an operator calls; in a turn

  /** Asks upstream for the next element, unless that has been done or there is none. */
  final void pull() {
    if (!pulled && !hasUpstreamEnded()) {
      pulled = true;
      pull(1);
    }
  }

  /**
   * Asks upstream for {@code n} more elements, if there are any: for operators with a {@link
   * #receive} of their own. Outside of turns, too, by one thread at a time.
   */
  final void pull(long n) {
    if (n > 0 && !hasUpstreamEnded() && !isOver() && upstream != null) {
      upstream.request(n);
    }
  }

  /** Takes the element that has come, if there is one. */
  final @Nullable T take() {
    T element = inbox.getAcquire();
    if (element != null) {
      inbox.setPlain(null);
      pulled = false;
    }
    return element;
  }

  /** Returns whether upstream has completed and its last element been taken. */
  final boolean isDrained() {
    return completed && !hasArrived(); // in this order: the last comes before the end
  }

  /** Returns how many elements downstream waits for. */
  final long demand() {
    long all = requested.get();
    return all == Long.MAX_VALUE ? all : all - emitted;
  }

  /** Completes if upstream is drained; otherwise asks for the next element if there is demand. */
  final void proceed() {
    if (isDrained()) {
      complete();
    } else if (demand() > 0) {
      pull();
    }
  }

  /** Passes an element on; there must be demand. */
  final void emit(R element) {
    emitted++;
    downstream.onNext(element);
  }

  /** Completes the stream, unless downstream has cancelled. */
  final void complete() {
    if (!isOver()) {
      end().onComplete();
    }
  }

  /** Fails the stream and cancels upstream, unless downstream has cancelled. */
  final void fail(Throwable reason) {
    if (!isOver()) {
      Subscriber<? super R> told = end();
      cancelUpstream();
      told.onError(reason);
    }
  }

  /** Returns whether downstream has ever asked for anything. */
  final boolean isAsked() {
    return requested.get() > 0;
  }

  /** Returns whether it has ended, or downstream has cancelled. */
  final boolean isOver() {
    return over || cancelled;
  }

  /** Returns whether the stream is to fail for a reason that is none of the operator's. */
  final boolean isFaulty() {
    return fault != null;
  }

  // ---- turns

  /**
   * Runs what a callback of the limiter, or of a call, leads to: on a thread that knows nothing of
   * the stream. In a turn, the callback has come at once, and the thread is the stream's.
   */
  final void runFromCallback(Runnable action) {
    if (isInTurn()) {
      action.run();
    } else {
      context.run(action, failure -> fault = failure);
    }
  }

  /** As {@link #stir}, for a callback, which would swallow an exception. */
  final void stirFromCallback() {
    runFromCallback(this::stirAndReport);
  }

  @Override
  final void turn() {
    if (over) {
      inbox.setPlain(null);
      releaseLate();
    } else if (!greeted) {
      greeted = true;
      downstream.onSubscribe(this);
      stir();
    } else if (cancelled) {
      abandon();
    } else if (failure != null) {
      endWith(failure);
    } else if (fault != null) {
      fail(fault);
    } else if (!pulled && hasArrived()) {
      fail(unrequested());
    } else {
      step();
    }
  }

  @Override
  final void abandon() {
    if (!over) {
      end();
      cancelUpstream();
    }
  }

  /** Upstream has failed. The element that came before may go if it need not wait. */
  private void endWith(Throwable reason) {
    if (pulled && hasArrived()) {
      step();
    }
    if (!isOver()) {
      end().onError(reason);
    }
  }

  private void cancelUpstream() {
    if (!hasUpstreamEnded() && upstream != null) {
      upstream.cancel();
    }
  }

  private boolean hasArrived() {
    return inbox.getAcquire() != null;
  }

  private boolean hasUpstreamEnded() {
    return completed || failure != null;
  }

  private Subscriber<? super R> end() {
    Subscriber<? super R> told = downstream;
    over = true;
    downstream = CancelledSubscriber.INSTANCE;
    inbox.setPlain(null);
    release();
    return told;
  }

  // ---- from upstream

  @Override
  public final void onSubscribe(Subscription subscription) {
    requireNonNull(subscription);
    if (upstream != null) {
      subscription.cancel();
    } else {
      upstream = subscription;
      stir();
    }
  }

  @Override
  public final void onNext(T element) {
    requireNonNull(element);
    try {
      receive(element);
    } catch (Throwable failure) {
      fault = failure;
    }
    stir();
  }

  @Override
  public final void onError(Throwable reason) {
    failure = requireNonNull(reason);
    stir();
  }

  @Override
  public final void onComplete() {
    completed = true;
    stir();
  }

  // ---- from downstream

  @Override
  public final void request(long n) {
    if (n > 0) {
      requested.accumulateAndGet(n, Stage::sum);
    } else {
      fault =
          new IllegalArgumentException(
              "rule 3.9: at least one element must be requested, not " + n);
    }
    stir();
  }

  private static long sum(long all, long more) {
    long sum = all + more;
    return sum < 0 ? Long.MAX_VALUE : sum;
  }

  @Override
  public final void cancel() {
    cancelled = true;
    stir();
  }
}
