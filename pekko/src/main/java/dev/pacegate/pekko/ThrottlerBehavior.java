package dev.pacegate.pekko;

import static java.util.Objects.requireNonNull;

import dev.pacegate.Limiter;
import dev.pacegate.limit.Limit;
import dev.pacegate.limit.Limits;
import java.util.UUID;
import org.apache.pekko.actor.AllDeadLetters;
import org.apache.pekko.actor.DeadLetter;
import org.apache.pekko.actor.Dropped;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.PostStop;
import org.apache.pekko.actor.typed.PreRestart;
import org.apache.pekko.actor.typed.Props;
import org.apache.pekko.actor.typed.Terminated;
import org.apache.pekko.actor.typed.javadsl.AbstractBehavior;
import org.apache.pekko.actor.typed.javadsl.ActorContext;
import org.apache.pekko.actor.typed.javadsl.Adapter;
import org.apache.pekko.actor.typed.javadsl.Behaviors;
import org.apache.pekko.actor.typed.javadsl.Receive;
import org.apache.pekko.event.EventStream;
import org.jspecify.annotations.Nullable;

/**
 * The behavior of a typed actor that forwards messages in order and no faster than a limit allows,
 * with the promises of {@link ThrottlerActor}.
 *
 * <pre>{@code
 * ActorRef<Command<Sms>> throttler = context.spawn(ThrottlerBehavior.create("3/1s"), "throttler");
 * throttler.tell(new SetTarget<>(bind));
 * throttler.tell(new Send<>(sms));
 * }</pre>
 *
 * <p>Dropped messages, and those that a stopped actor has not delivered, are published on the event
 * stream of the classic system as {@link Dropped} and {@link DeadLetter}, without the {@link Send}
 * around them. The queue, the target and what the limit has counted survive a restart by a
 * supervisor.
 *
 * @param <T> the type of messages
 */
public final class ThrottlerBehavior<T> extends AbstractBehavior<ThrottlerBehavior.Command<T>> {

  /**
   * A message that the actor understands.
   *
   * @param <T> the type of messages that it forwards
   */
  public sealed interface Command<T> {}

  /**
   * Forwards a message.
   *
   * @param <T> the type of messages
   * @param message the message
   */
  public record Send<T>(T message) implements Command<T> {

    /** Checks that it is not null. */
    public Send {
      requireNonNull(message);
    }
  }

  /**
   * Sets where messages are delivered from now on.
   *
   * @param <T> the type of messages
   * @param target null to keep them queued
   */
  public record SetTarget<T>(@Nullable ActorRef<? super T> target) implements Command<T> {

    /** Returns the command that keeps messages queued. */
    public static <T> SetTarget<T> none() {
      return new SetTarget<>(null);
    }
  }

  /**
   * Puts another limit in force, as {@link Limiter#setLimit} does: there is no free burst. A shared
   * limiter is changed for all its users.
   *
   * @param <T> the type of messages
   * @param limit the limit
   */
  public record SetLimit<T>(Limit limit) implements Command<T> {

    /** Checks that it is not null. */
    public SetLimit {
      requireNonNull(limit);
    }

    /**
     * Returns the command for a limit given as text.
     *
     * @throws dev.pacegate.limit.LimitFormatException if the text is no limit
     */
    public static <T> SetLimit<T> to(String limit) {
      return new SetLimit<>(Limits.parse(limit));
    }
  }

  private final LastingQueue.PerActor<T, ActorRef<?>> queues;
  private final LastingQueue<T, ActorRef<?>> queue;

  private ThrottlerBehavior(
      ActorContext<Command<T>> context, LastingQueue.PerActor<T, ActorRef<?>> queues) {
    super(context);
    EventStream events = Adapter.toClassic(context.getSystem()).eventStream();
    org.apache.pekko.actor.ActorRef self = Adapter.toClassic(context.getSelf());
    this.queues = queues;
    this.queue =
        queues.of(
            context.getSelf(),
            context.getExecutionContext(),
            (dropped, reason) -> {
              if (!(dropped instanceof AllDeadLetters)) { // it would cause another one
                events.publish(Dropped.apply(dropped, reason, self));
              }
            });
  }

  /**
   * Returns the behavior of an actor with a limiter of its own, given as text, and the default
   * options.
   *
   * @throws dev.pacegate.limit.LimitFormatException if the text is no limit
   */
  public static <T> Behavior<Command<T>> create(String limit) {
    return create(Limits.parse(limit), ThrottlerOptions.DEFAULT);
  }

  /** Returns a behavior; each actor that has it has a limiter of its own. */
  public static <T> Behavior<Command<T>> create(Limit limit, ThrottlerOptions options) {
    requireNonNull(limit);
    return create(LastingQueue.PerActor.owning(limit, requireNonNull(options)));
  }

  /** Returns the behavior that takes its permits from {@code limiter}, which may be shared. */
  public static <T> Behavior<Command<T>> create(Limiter limiter, ThrottlerOptions options) {
    requireNonNull(limiter);
    return create(LastingQueue.PerActor.sharing(limiter, requireNonNull(options)));
  }

  private static <T> Behavior<Command<T>> create(LastingQueue.PerActor<T, ActorRef<?>> queues) {
    return Behaviors.setup(context -> new ThrottlerBehavior<>(context, queues));
  }

  @Override
  public Receive<Command<T>> createReceive() {
    return newReceiveBuilder()
        .onAnyMessage(this::onCommand)
        .onSignal(Terminated.class, signal -> onTerminated())
        .onSignal(PreRestart.class, signal -> onPreRestart())
        .onSignal(PostStop.class, signal -> onPostStop())
        .build();
  }

  private Behavior<Command<T>> onCommand(Command<T> command) {
    if (command instanceof Send<T> send) {
      queue.add(send.message());
    } else if (command instanceof SetTarget<T> set) {
      setTarget(set.target());
    } else if (command instanceof SetLimit<T> set) {
      queue.setLimit(set.limit());
    }
    return this;
  }

  private void setTarget(@Nullable ActorRef<? super T> next) {
    ActorRef<?> last = queue.target();
    if (last != null && !last.equals(next)) {
      getContext().unwatch(last);
    }
    if (next == null) {
      queue.target(null, null);
    } else {
      getContext().watch(next);
      queue.target(next, next::tell);
    }
  }

  /** The target has terminated; only the present one is watched. */
  private Behavior<Command<T>> onTerminated() {
    queue.target(null, null);
    return this;
  }

  private Behavior<Command<T>> onPostStop() {
    end(getContext().getSystem(), getContext().getSelf(), queues);
    return this;
  }

  /**
   * A supervisor may delay the restart. If the actor is stopped meanwhile, its behavior is not
   * told, so another actor watches it from now on.
   */
  private Behavior<Command<T>> onPreRestart() {
    if (queue.hasItsFirstRestart()) {
      getContext()
          .getSystem()
          .systemActorOf(
              untilTheEndOf(getContext().getSelf(), queues),
              "pacegate-" + UUID.randomUUID(),
              Props.empty());
    }
    return this;
  }

  private static <T> Behavior<Void> untilTheEndOf(
      ActorRef<Command<T>> actor, LastingQueue.PerActor<T, ActorRef<?>> queues) {
    return Behaviors.setup(
        context -> {
          context.watch(actor);
          return Behaviors.receive(Void.class)
              .onSignal(
                  Terminated.class,
                  signal -> {
                    end(context.getSystem(), actor, queues);
                    return Behaviors.stopped();
                  })
              .build();
        });
  }

  private static <T> void end(
      ActorSystem<?> typed, ActorRef<?> actor, LastingQueue.PerActor<T, ActorRef<?>> queues) {
    var system = Adapter.toClassic(typed);
    for (T left : queues.end(actor)) {
      system
          .eventStream()
          .publish(new DeadLetter(left, system.deadLetters(), Adapter.toClassic(actor)));
    }
  }
}
