package dev.pacegate.simulator;

import dev.pacegate.Limiter;
import dev.pacegate.Permit;
import dev.pacegate.limit.Limit;
import dev.pacegate.time.Time;
import java.util.function.Consumer;

/**
 * Lets the requests of a simulated program through: a {@link Limiter}, or another one to compare.
 */
@FunctionalInterface
public interface Pacer {

  /**
   * Calls {@code go} as soon as a request of {@code cost} may go: at once, or when time is moved.
   */
  void enter(long cost, Consumer<? super Permit> go);

  /** Puts another limit in force. */
  default void change(Limit limit) {
    throw new UnsupportedOperationException("this pacer cannot change its limit: " + limit);
  }

  /** Called after the last request. */
  default void close() {}

  /** Creates pacers. */
  @FunctionalInterface
  interface Maker {
    /** Returns a pacer that goes by {@code time}. */
    Pacer make(Time time);
  }

  /** Returns a permit for a pacer that ignores how permits end. */
  static Permit ticket(long releasedAt) {
    return new Ticket(releasedAt);
  }

  /** Returns a real limiter as a pacer. */
  static Pacer of(Limit limit, Time time) {
    return of(Limiter.builder(limit).time(time).executor(Runnable::run).stamped(true).build());
  }

  /** Returns {@code limiter} as a pacer. */
  static Pacer of(Limiter limiter) {
    return new Pacer() {
      @Override
      public void enter(long cost, Consumer<? super Permit> go) {
        var unused = limiter.acquireAsync(cost).thenAccept(go);
      }

      @Override
      public void change(Limit limit) {
        limiter.setLimit(limit);
      }

      @Override
      public void close() {
        limiter.close();
      }
    };
  }
}
