package dev.pacegate.reactive;

import dev.pacegate.Limiter;
import dev.pacegate.Permit;
import dev.pacegate.limit.Cost;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscriber;

/**
 * Passes on the content of a buffer each time there is a permit for it. It waits in the queue only
 * while there is demand and the buffer is ready, and reads the buffer when the permit has come.
 *
 * <p>It requests elements outside of turns: an upstream that sends before the request returns does
 * not stop what is going on.
 */
final class Gathering<T, R> extends Stage<T, R> {

  /** What the first element after an idle time finds. */
  enum Idle {
    /** A permit. */
    READY,
    /** No permit: it waits as if something had gone when it came. */
    SPENT
  }

  private final LimiterSource source;
  private final Limiter limiter;
  private final Idle idle;
  private final Buffer<T, R> buffer;
  private final PendingPermit pending;
  private final AtomicLong wanted = new AtomicLong(); // not yet requested of upstream
  private final DrainLoop asking = new AskLoop();
  private boolean begun;

  /** Takes a function that makes the buffer, given a callback for its changes. */
  Gathering(
      LimiterSource source,
      Idle idle,
      Function<Runnable, Buffer<T, R>> buffer,
      Subscriber<? super R> downstream) {
    super(downstream);
    this.source = source;
    this.limiter = source.limiter();
    this.idle = idle;
    this.buffer = buffer.apply(this::stirFromCallback);
    this.pending = new PendingPermit(limiter, this::stirFromCallback);
    begin();
  }

  @Override
  void receive(T element) {
    if (!isOver()) {
      buffer.add(element);
    }
  }

  @Override
  void step() {
    boolean last = isDrained(); // first: the last element comes before the end
    Throwable refusal = pending.refusal();
    if (refusal != null) {
      fail(refusal);
    } else if (last && buffer.isEmpty()) {
      complete();
    } else {
      pass(pending.permit());
      wanted.addAndGet(buffer.wants(pending.permit() != null));
      look();
      if (buffer.isReady(last) && pending.isFree() && demand() > 0 && !isOver()) {
        ask();
      }
    }
  }

  private void ask() {
    try {
      pending.ask(buffer.cost());
    } catch (Throwable failure) {
      fail(failure);
    }
  }

  @Override
  void afterTurns() {
    if (wanted.get() > 0) {
      asking.stir();
    }
  }

  /** Requests elements one call at a time, as Reactive Streams demands. */
  private final class AskLoop extends DrainLoop {

    @Override
    void turn() {
      pull(wanted.getAndSet(0));
    }

    @Override
    void abandon() {
      cancel();
    }
  }

  private void look() {
    if (!begun && !buffer.isEmpty()) {
      begun = true;
      begin();
    }
  }

  /** Starts the interval as if something had just gone, unless it is running. */
  private void begin() {
    if (idle == Idle.SPENT) {
      limiter.poll(Cost.ONE);
    }
  }

  private void pass(@Nullable Permit permit) {
    R gathered = permit == null ? null : buffer.take();
    if (permit != null && gathered != null) {
      pending.used();
      begun = false;
      stir(); // for what comes after
      try (permit) {
        permit.sending();
        emit(gathered);
        permit.answered();
      }
    }
  }

  @Override
  void release() {
    releaseLate();
    source.release(limiter);
  }

  @Override
  void releaseLate() {
    buffer.discard();
    pending.giveUp();
  }
}
