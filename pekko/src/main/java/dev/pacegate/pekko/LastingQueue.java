package dev.pacegate.pekko;

import static java.util.Objects.requireNonNull;

import dev.pacegate.Limiter;
import dev.pacegate.Permit;
import dev.pacegate.dispatch.Throttler;
import dev.pacegate.limit.Limit;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.function.BiConsumer;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Function;
import org.apache.pekko.actor.ActorRef;
import org.apache.pekko.actor.ActorSystem;
import org.apache.pekko.actor.Dropped;
import org.jspecify.annotations.Nullable;

/**
 * The queue and the target of an actor. It is kept outside the actor, which is recreated when it
 * restarts, and ends only with the actor. Its methods are for the actor.
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
      options.check(limit);
      return new PerActor<>(
          executor -> Limiter.builder(limit).time(options.time()).executor(executor).build(),
          options);
    }

    static <M, R> PerActor<M, R> sharing(Limiter limiter, ThrottlerOptions options) {
      limiter.limits().forEach(options::check);
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
  private final ThrottlerOptions options;
  private final Turns turns;
  private final Throttler<M> throttler;
  private final OpenAsks<R> asks = new OpenAsks<>();
  private final BiConsumer<M, String> onDrop;
  private @Nullable R target;
  private boolean restarted;

  private LastingQueue(
      Limiter limiter, ThrottlerOptions options, Executor executor, BiConsumer<M, String> onDrop) {
    this.limiter = limiter;
    this.options = options;
    this.turns = new Turns(executor);
    this.onDrop = onDrop;
    this.throttler =
        Throttler.<M>builder(limiter)
            .executor(turns)
            .capacity(options.capacity())
            .overflow(options.overflow())
            .onDrop(message -> onDrop.accept(message, "the throttler's queue is full"))
            .onFailure((message, failure) -> onDrop.accept(message, reason(failure)))
            .build();
  }

  /** Says why a message was not delivered. */
  private static String reason(Throwable failure) {
    return String.valueOf(failure instanceof NotAskedException none ? none.getCause() : failure);
  }

  // ---- the target

  /** Returns the target in force, if there is one. */
  @Nullable R target() {
    return target;
  }

  void noTarget() {
    change(this::dropTarget);
  }

  /** Returns whether targets reply. */
  boolean asks() {
    return options.replies() != null;
  }

  /** Sets a target that does not reply. */
  void target(R next, Consumer<M> delivery) {
    change(
        () -> {
          target = next;
          throttler.target(delivery);
        });
  }

  /**
   * Sets a target that replies.
   *
   * @param delivery asks it, and waits for so long; throws {@link NotAskedException} if it sends
   *     nothing
   */
  void target(R next, BiFunction<M, Duration, CompletionStage<?>> delivery) {
    Duration within = requireNonNull(options.replies());
    change(
        () -> {
          target = next;
          throttler.targetWithPermit(
              (message, permit) -> asks.add(next, ask(delivery, message, permit), within, permit));
        });
  }

  private CompletionStage<?> ask(
      BiFunction<M, Duration, CompletionStage<?>> delivery, M message, Permit permit) {
    try {
      return delivery.apply(message, requireNonNull(options.replies()));
    } catch (NotAskedException nothingSent) {
      permit.notSent();
      throw nothingSent;
    }
  }

  /** An actor has terminated: no message goes to it any more, and none comes from it. */
  void terminated(R actor) {
    turns.step(
        () -> {
          if (actor.equals(target)) {
            dropTarget();
          }
          asks.terminated(actor);
        });
  }

  private void dropTarget() {
    target = null;
    throttler.target(null);
  }

  /** Tells of a control message that cannot take effect. */
  static void refuse(ActorSystem system, Object message, RuntimeException why, ActorRef actor) {
    String reason = String.valueOf(why.getMessage());
    system.log().error(why, "{} refuses {}: {}", actor, message, reason);
    system.eventStream().publish(Dropped.apply(message, reason, actor));
  }

  /** Makes a change after all that is due by the clock has gone. */
  private void change(Runnable change) {
    turns.change(limiter::snapshot, change); // which finds what is due
  }

  // ---- the rest

  /** The actor is recreated; returns whether for the first time. */
  boolean hasItsFirstRestart() {
    boolean first = !restarted;
    restarted = true;
    return first;
  }

  /**
   * Puts another limit in force.
   *
   * @throws IllegalArgumentException if the limit needs replies, and there are none; or if the
   *     limiter does not support it
   */
  void setLimit(Limit limit) {
    options.check(limit);
    change(() -> limiter.setLimit(limit));
  }

  /** Queues a message; drops it if that is not possible. Never waits for room. */
  void add(M message) {
    turns.step(() -> queue(message));
  }

  private void queue(M message) {
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
    var left = new ArrayList<M>();
    change(
        () -> {
          throttler.close();
          left.addAll(throttler.undelivered());
        });
    return left;
  }
}
