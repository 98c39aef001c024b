package dev.pacegate.pekko;

import static java.util.Objects.requireNonNull;

import dev.pacegate.Limiter;
import dev.pacegate.dispatch.Envelope;
import dev.pacegate.limit.Limit;
import dev.pacegate.limit.Limits;
import dev.pacegate.limit.Rate;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.apache.pekko.actor.AbstractActor;
import org.apache.pekko.actor.ActorRef;
import org.apache.pekko.actor.AllDeadLetters;
import org.apache.pekko.actor.DeadLetter;
import org.apache.pekko.actor.Dropped;
import org.apache.pekko.actor.Props;
import org.apache.pekko.actor.Status;
import org.apache.pekko.actor.Terminated;
import org.apache.pekko.event.EventStream;
import org.apache.pekko.pattern.Patterns;
import org.jspecify.annotations.Nullable;

/**
 * An actor that forwards messages in order and no faster than a limit allows, from a queue of at
 * most 1000 messages: when it is full, the newest message is dropped, unless {@link
 * ThrottlerOptions} say otherwise. The receiver sees the original sender. For typed actors see
 * {@link ThrottlerBehavior}.
 *
 * <pre>{@code
 * ActorRef throttler = system.actorOf(ThrottlerActor.props("3/1s"));
 * throttler.tell(new SetTarget(bind), noSender());
 * throttler.tell(message, self()); // bind sees it as sent by self()
 * }</pre>
 *
 * <p>{@link SetTarget}, {@link SetLimit} and {@link SetRate} control it; any other message is
 * queued, and delivered when there is a target and a permit. Messages from one sender reach the
 * target in the order in which they were sent.
 *
 * <p><b>Order.</b> Control messages take effect in the order of the mailbox. When one is handled,
 * every earlier message that had its permit available has gone to the target of then, under the
 * limit of then; so has one that waited and is due by the limiter's clock, even if its timer is
 * late, unless the timer's thread is handing it over at that very moment. A message that waits for
 * its permit, or for a target, goes to the target in force when it gets it.
 *
 * <p><b>Permits.</b> The thread that forwards a message takes the permit just before. It is the
 * actor's own, or one of its dispatcher if the message had to wait: a full mailbox delays no
 * delivery. The permit ends just after. A limit that counts until the answer is in ({@code
 * peer(10/1s)}, {@code concurrent(4)}) needs a target that replies: {@link
 * ThrottlerOptions#withReplies}. Each message is then sent as by {@code ask}, the reply ends the
 * permit, and the sender gets the reply, or a {@link Status.Failure} if there is none. Without
 * replies such a limit is refused, in props and in {@link SetLimit}. A change of a shared limiter
 * by others is not looked at.
 *
 * <p><b>The queue.</b> A dropped message is published as {@link Dropped} on the event stream of the
 * system, whatever the reason, unless it is a dead letter already. So is a control message that is
 * refused, which is also logged as an error; nothing changes then. The queue, the target and what
 * the limit has counted survive a restart. When the actor is stopped, messages that it has not
 * delivered are published as {@link DeadLetter}.
 *
 * <p><b>The target</b> is watched. When it terminates, messages are queued until there is another
 * target; a message on its way at that moment goes to dead letters, as with any actor.
 *
 * <p>No timer runs while there is nothing to deliver.
 */
public final class ThrottlerActor extends AbstractActor {

  /**
   * Sets where messages are delivered from now on.
   *
   * @param target null to keep them queued
   */
  public record SetTarget(@Nullable ActorRef target) {

    /** Returns the message that keeps messages queued. */
    public static SetTarget none() {
      return new SetTarget(null);
    }
  }

  /**
   * Puts another limit in force, as {@link Limiter#setLimit} does: there is no free burst. A shared
   * limiter is changed for all its users.
   *
   * @param limit the limit
   */
  public record SetLimit(Limit limit) {

    /** Checks that it is not null. */
    public SetLimit {
      requireNonNull(limit);
    }

    /**
     * Returns the message for a limit given as text.
     *
     * @throws dev.pacegate.limit.LimitFormatException if the text is no limit
     */
    public static SetLimit to(String limit) {
      return new SetLimit(Limits.parse(limit));
    }
  }

  /**
   * Puts another rate in force: at most so many in <em>any</em> interval of that length. For timer
   * windows as in Akka's throttler use {@code SetLimit.to("fixed(3/1s)")}.
   *
   * @param rate the rate; for a rate of 0 use {@link SetTarget#none}
   */
  public record SetRate(Rate rate) {

    /** Checks that it is not null. */
    public SetRate {
      requireNonNull(rate);
    }

    private Limit limit() {
      return Limits.atMost(rate.permits()).inAny(Duration.ofNanos(rate.nanos()));
    }
  }

  private final LastingQueue.PerActor<Envelope<Object, ActorRef>, ActorRef> queues;
  private final LastingQueue<Envelope<Object, ActorRef>, ActorRef> queue;

  private ThrottlerActor(LastingQueue.PerActor<Envelope<Object, ActorRef>, ActorRef> queues) {
    EventStream events = getContext().getSystem().eventStream();
    ActorRef self = getSelf();
    this.queues = queues;
    this.queue =
        queues.of(
            self,
            getContext().getDispatcher(),
            (dropped, reason) -> {
              if (!(dropped.message() instanceof AllDeadLetters)) { // it would cause another one
                events.publish(new Dropped(dropped.message(), reason, dropped.sender(), self));
              }
            });
  }

  /**
   * Returns the props of an actor with a limiter of its own, given as text, and the default
   * options.
   *
   * @throws dev.pacegate.limit.LimitFormatException if the text is no limit
   * @throws IllegalArgumentException if the limit counts until the answer is in, or limits a named
   *     cost
   */
  public static Props props(String limit) {
    return props(Limits.parse(limit), ThrottlerOptions.DEFAULT);
  }

  /**
   * Returns the props of an actor; each actor made from them has a limiter of its own.
   *
   * @throws IllegalArgumentException if the limit counts until the answer is in, and the options
   *     say nothing of replies; or if it limits a named cost, which no message has
   */
  public static Props props(Limit limit, ThrottlerOptions options) {
    requireNonNull(limit);
    return props(LastingQueue.PerActor.owning(limit, requireNonNull(options)));
  }

  /**
   * Returns the props of an actor that takes its permits from {@code limiter}, which may be shared.
   *
   * @throws IllegalArgumentException if its limit, or for the limiter of a key that of all keys,
   *     counts until the answer is in, and the options say nothing of replies; or if it limits a
   *     named cost, which no message has
   */
  public static Props props(Limiter limiter, ThrottlerOptions options) {
    requireNonNull(limiter);
    return props(LastingQueue.PerActor.sharing(limiter, requireNonNull(options)));
  }

  private static Props props(LastingQueue.PerActor<Envelope<Object, ActorRef>, ActorRef> queues) {
    return Props.create(ThrottlerActor.class, () -> new ThrottlerActor(queues));
  }

  @Override
  public Receive createReceive() {
    return receiveBuilder()
        .match(SetTarget.class, message -> setTarget(message.target()))
        .match(SetLimit.class, message -> setLimit(message, message.limit()))
        .match(SetRate.class, message -> setLimit(message, message.limit()))
        .match(Terminated.class, ended -> queue.terminated(ended.getActor()))
        .matchAny(message -> queue.add(new Envelope<>(message, getSender())))
        .build();
  }

  private void setTarget(@Nullable ActorRef next) {
    ActorRef former = queue.target();
    if (next == null) {
      queue.noTarget();
    } else {
      getContext().watch(next);
      deliverTo(next);
    }
    if (former != null && !former.equals(next) && !queue.asks()) { // no reply of it is due
      getContext().unwatch(former);
    }
  }

  private void deliverTo(ActorRef next) {
    if (queue.asks()) {
      ActorRef deadLetters = getContext().getSystem().deadLetters();
      queue.target(next, (envelope, within) -> ask(next, deadLetters, envelope, within));
    } else {
      queue.target(next, envelope -> next.tell(envelope.message(), envelope.sender()));
    }
  }

  /** As {@code ask} and {@code pipe} do, the sender gets the reply, or why there is none. */
  private static CompletionStage<?> ask(
      ActorRef target, ActorRef deadLetters, Envelope<Object, ActorRef> envelope, Duration within) {
    CompletionStage<Object> reply = Patterns.ask(target, envelope.message(), within);
    ActorRef sender = envelope.sender();
    if (!sender.equals(deadLetters)) {
      var unused =
          reply.whenComplete(
              (answer, failure) ->
                  sender.tell(failure == null ? answer : new Status.Failure(failure), target));
    }
    return reply;
  }

  /** A limit that cannot be kept is refused: the one in force stays. */
  private void setLimit(Object message, Limit limit) {
    try {
      queue.setLimit(limit);
    } catch (RuntimeException refused) {
      LastingQueue.refuse(getContext().getSystem(), message, refused, getSelf());
    }
  }

  /** The queue goes on while the actor is recreated. */
  @Override
  public void preRestart(Throwable reason, Optional<Object> message) {}

  @Override
  public void postStop() {
    EventStream events = getContext().getSystem().eventStream();
    for (Envelope<Object, ActorRef> left : queues.end(getSelf())) {
      events.publish(new DeadLetter(left.message(), left.sender(), getSelf()));
    }
  }
}
