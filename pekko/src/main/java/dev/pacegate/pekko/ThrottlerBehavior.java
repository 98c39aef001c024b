package dev.pacegate.pekko;

import static java.util.Objects.requireNonNull;

import dev.pacegate.Limiter;
import dev.pacegate.limit.Limit;
import dev.pacegate.limit.Limits;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.CompletionStage;
import java.util.function.BiFunction;
import org.apache.pekko.actor.AllDeadLetters;
import org.apache.pekko.actor.DeadLetter;
import org.apache.pekko.actor.Dropped;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.PostStop;
import org.apache.pekko.actor.typed.PreRestart;
import org.apache.pekko.actor.typed.Props;
import org.apache.pekko.actor.typed.Scheduler;
import org.apache.pekko.actor.typed.Terminated;
import org.apache.pekko.actor.typed.javadsl.AbstractBehavior;
import org.apache.pekko.actor.typed.javadsl.ActorContext;
import org.apache.pekko.actor.typed.javadsl.Adapter;
import org.apache.pekko.actor.typed.javadsl.AskPattern;
import org.apache.pekko.actor.typed.javadsl.Behaviors;
import org.apache.pekko.actor.typed.javadsl.Receive;
import org.apache.pekko.event.EventStream;
import org.jspecify.annotations.Nullable;

/**
 * The behavior of a typed actor that forwards messages in order and no faster than a limit allows,
 * from a queue of at most 1000 messages: when it is full, the newest message is dropped, unless
 * {@link ThrottlerOptions} say otherwise. Its promises are those of {@link ThrottlerActor}.
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
   * Sets a target that replies, for an actor whose options say so ({@link
   * ThrottlerOptions#withReplies}). The permit of a message ends with the first reply to the
   * address that {@code question} is given.
   *
   * <pre>{@code
   * record Submit(Sms sms, ActorRef<Done> replyTo) {}
   * throttler.tell(new AskTarget<>(bind, Submit::new)); // ActorRef<Submit> bind
   * }</pre>
   *
   * @param <T> the type of messages
   * @param <Q> what the target takes
   * @param <A> what it replies
   * @param target the target; see {@link SetTarget#none} for none
   * @param question makes of a message, and the address to reply to, what the target takes; called
   *     by the thread that forwards the message. If it throws, nothing is sent: the permit is given
   *     back, and the message is published as dropped
   */
  public record AskTarget<T, Q, A>(
      ActorRef<Q> target, BiFunction<? super T, ActorRef<A>, ? extends Q> question)
      implements Command<T> {

    /** Checks that they are not null. */
    public AskTarget {
      requireNonNull(target);
      requireNonNull(question);
    }

    private CompletionStage<?> ask(T message, Duration within, Scheduler scheduler) {
      return AskPattern.<Q, A>ask(target, replyTo -> question(message, replyTo), within, scheduler);
    }

    private Q question(T message, ActorRef<A> replyTo) {
      try {
        return requireNonNull(question.apply(message, replyTo), "no question");
      } catch (Throwable nothingSent) {
        throw new NotAskedException(nothingSent);
      }
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
   * @throws IllegalArgumentException if the limit counts until the answer is in, or limits a named
   *     cost
   */
  public static <T> Behavior<Command<T>> create(String limit) {
    return create(Limits.parse(limit), ThrottlerOptions.DEFAULT);
  }

  /**
   * Returns a behavior; each actor that has it has a limiter of its own.
   *
   * @throws IllegalArgumentException if the limit counts until the answer is in, and the options
   *     say nothing of replies; or if it limits a named cost, which no message has
   */
  public static <T> Behavior<Command<T>> create(Limit limit, ThrottlerOptions options) {
    requireNonNull(limit);
    return create(LastingQueue.PerActor.owning(limit, requireNonNull(options)));
  }

  /**
   * Returns the behavior that takes its permits from {@code limiter}, which may be shared.
   *
   * @throws IllegalArgumentException if its limit, or for the limiter of a key that of all keys,
   *     counts until the answer is in, and the options say nothing of replies; or if it limits a
   *     named cost, which no message has
   */
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
        .onSignal(Terminated.class, signal -> onTerminated(signal.getRef()))
        .onSignal(PreRestart.class, signal -> onPreRestart())
        .onSignal(PostStop.class, signal -> onPostStop())
        .build();
  }

  private Behavior<Command<T>> onCommand(Command<T> command) {
    if (command instanceof Send<T> send) {
      queue.add(send.message());
    } else {
      try {
        control(command);
      } catch (RuntimeException refused) { // nothing has changed
        LastingQueue.refuse(
            Adapter.toClassic(getContext().getSystem()),
            command,
            refused,
            Adapter.toClassic(getContext().getSelf()));
      }
    }
    return this;
  }

  private void control(Command<T> command) {
    if (command instanceof SetTarget<T> set) {
      setTarget(set.target());
    } else if (command instanceof AskTarget<T, ?, ?> ask) {
      setTarget(ask);
    } else if (command instanceof SetLimit<T> set) {
      queue.setLimit(set.limit());
    }
  }

  private void setTarget(@Nullable ActorRef<? super T> next) {
    ActorRef<?> former = queue.target();
    if (next == null) {
      queue.noTarget();
    } else if (queue.asks()) {
      throw new IllegalArgumentException(
          "the options say that the target replies, so it is set by AskTarget: " + next);
    } else {
      getContext().watch(next);
      queue.target(next, next::tell);
    }
    if (former != null && !former.equals(next) && !queue.asks()) { // no reply of it is due
      getContext().unwatch(former);
    }
  }

  private void setTarget(AskTarget<T, ?, ?> next) {
    if (!queue.asks()) {
      throw new IllegalArgumentException(
          "AskTarget needs ThrottlerOptions.withReplies, which says how long to wait for a reply: "
              + next.target());
    }
    Scheduler scheduler = getContext().getSystem().scheduler();
    getContext().watch(next.target());
    queue.target(next.target(), (message, within) -> next.ask(message, within, scheduler));
  }

  private Behavior<Command<T>> onTerminated(ActorRef<?> ended) {
    queue.terminated(ended);
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
