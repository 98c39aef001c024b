package dev.pacegate.pekko;

import dev.pacegate.Limiter;
import dev.pacegate.dispatch.Throttler;
import dev.pacegate.limit.Limit;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The queue and the target of an actor. It is kept outside the actor, which is recreated when it
 * restarts, and ends only with the actor.
 *
 * @param <M> the type of messages
 * @param <R> the type of actor references
 */
final class LastingQueue<M, R> {

  /** The queues of all actors made from the same props, by actor reference. */
  static final class PerActor<M, R> {

    private final ConcurrentHashMap<R, LastingQueue<M, R>> queues = new ConcurrentHashMap<>();
    private final Function<Executor, Limiter> limiters;
    private final ThrottlerOptions options;

    PerActor(Function<Executor, Limiter> limiters, ThrottlerOptions options) {
      this.limiters = limiters;
      this.options = options;
    }

    static <M, R> PerActor<M, R> owning(Limit limit, ThrottlerOptions options) {
      return new PerActor<>(
          executor -> Limiter.builder(limit).time(options.time()).executor(executor).build(),
          options);
    }

    static <M, R> PerActor<M, R> sharing(Limiter limiter, ThrottlerOptions options) {
      return new PerActor<>(executor -> limiter, options);
    }

    /** Returns the queue of an actor: a new one unless the actor was restarted. */
    LastingQueue<M, R> of(R self, Executor executor, BiConsumer<M, String> onDrop) {
      return queues.computeIfAbsent(
          self, unknown -> new LastingQueue<>(limiters.apply(executor), options, executor, onDrop));
    }

    /** Ends the queue of a stopped actor; returns the messages that were not delivered. */
    List<M> end(R self) {
      LastingQueue<M, R> queue = queues.remove(self);
      return queue == null ? List.of() : queue.end();
    }

    int size() {
      return queues.size();
    }
  }

  private final Limiter limiter;
  private final Throttler<M> throttler;
  private final BiConsumer<M, String> onDrop;
  private @Nullable R target; // known to the actor alone, as the next
  private boolean restarted;

  private LastingQueue(
      Limiter limiter, ThrottlerOptions options, Executor executor, BiConsumer<M, String> onDrop) {
    this.limiter = limiter;
    this.onDrop = onDrop;
    this.throttler =
        Throttler.<M>builder(limiter)
            .executor(executor)
            .capacity(options.capacity())
            .overflow(options.overflow())
            .onDrop(message -> onDrop.accept(message, "the throttler's queue is full"))
            .onFailure((message, failure) -> onDrop.accept(message, String.valueOf(failure)))
            .build();
  }

  @Nullable R target() {
    return target;
  }

  void target(@Nullable R next, @Nullable Consumer<M> delivery) {
    target = next;
    throttler.target(delivery);
  }

  /** The actor is recreated; returns whether for the first time. */
  boolean hasItsFirstRestart() {
    boolean first = !restarted;
    restarted = true;
    return first;
  }

  void setLimit(Limit limit) {
    limiter.setLimit(limit);
  }

  /** Queues a message; drops it if that is not possible. Never waits. */
  void add(M message) {
    boolean interrupted = Thread.interrupted();
    try {
      throttler.send(message);
    } catch (InterruptedException again) {
      interrupted = true;
      onDrop.accept(message, "the throttler was interrupted");
    } catch (IllegalStateException closed) {
      onDrop.accept(message, "the throttler's limiter is closed");
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private List<M> end() {
    throttler.close();
    return throttler.undelivered();
  }
}
