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
 * What an actor queues, and where to. It is kept beside the actor, which is made anew when it is
 * restarted, and thrown away only with the actor itself.
 *
 * @param <M> the messages
 * @param <R> references of actors
 */
final class LastingQueue<M, R> {

  /** The queues of all actors that are made alike; an actor is known by its own reference. */
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

    /** Returns the queue of an actor, a new one unless it is restarted. */
    LastingQueue<M, R> of(R self, Executor executor, BiConsumer<M, String> onDrop) {
      return queues.computeIfAbsent(
          self, unknown -> new LastingQueue<>(limiters.apply(executor), options, executor, onDrop));
    }

    /** Ends the queue of an actor that is no more; returns what had not been delivered. */
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

  /** The actor is made anew; returns whether for the first time. */
  boolean hasItsFirstRestart() {
    boolean first = !restarted;
    restarted = true;
    return first;
  }

  void setLimit(Limit limit) {
    limiter.setLimit(limit);
  }

  /** Queues a message; one for which that is not possible is dropped. Never waits. */
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
