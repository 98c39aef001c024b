package dev.pacegate.pekko;

import dev.pacegate.KeyedLimiter;
import dev.pacegate.Limiter;
import dev.pacegate.limit.Limits;
import dev.pacegate.pekko.ThrottlerActor.SetLimit;
import dev.pacegate.pekko.ThrottlerActor.SetTarget;
import dev.pacegate.time.Time;
import java.time.Duration;
import java.util.stream.Stream;
import org.apache.pekko.actor.AbstractActor;
import org.apache.pekko.actor.ActorRef;
import org.apache.pekko.actor.Props;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A timer rings late: what is due by the clock goes before anything changes. */
class LateTimerTest extends ActorTest {

  /** A clock that is ahead of its timer. */
  private static final class Late implements Time {

    private final Time time;
    private long lateNanos;

    Late(Time time) {
      this.time = time;
    }

    @Override
    public long nanoTime() {
      return time.nanoTime() + lateNanos;
    }

    @Override
    public Scheduled at(long instant, Runnable task) {
      return time.at(instant, task);
    }
  }

  private final Late late = new Late(time);
  private final ActorRef first = recorder();

  /** Changes that would keep the second message back. */
  static Stream<Object> changes() {
    return Stream.of(SetTarget.none(), SetLimit.to("1/1h"));
  }

  private static void send(ActorRef to, Object... messages) {
    for (Object message : messages) {
      to.tell(message, ActorRef.noSender());
    }
  }

  private void assertOvertakesNothing(Limiter limiter, Object change) {
    ActorRef throttler = start(ThrottlerActor.props(limiter, options));
    send(throttler, new SetTarget(first), "1", "2", "3");
    late.lateNanos = Duration.ofMillis(1500).toNanos();
    send(throttler, change);
    assertDelivered("1@0", "2@0"); // by the clock of the test, on which the timer runs
    send(throttler, SetTarget.none());
    stop(throttler);
  }

  @ParameterizedTest
  @MethodSource("changes")
  void aChangeOvertakesNothing(Object change) {
    Limiter limiter =
        Limiter.builder(Limits.parse("spacing(1s)")).time(late).executor(Runnable::run).build();
    assertOvertakesNothing(limiter, change);
  }

  @ParameterizedTest
  @MethodSource("changes")
  void aChangeOvertakesNothingOfAKey(Object change) {
    try (KeyedLimiter<String> keyed =
        KeyedLimiter.builder("spacing(1s)").time(late).executor(Runnable::run).build()) {
      assertOvertakesNothing(keyed.limiter("a"), change);
    }
  }

  private static final class Replying extends AbstractActor {

    private final ActorRef recorder;

    Replying(ActorRef recorder) {
      this.recorder = recorder;
    }

    @Override
    public Receive createReceive() {
      return receiveBuilder()
          .matchAny(
              message -> {
                recorder.forward(message, getContext());
                getSender().tell("done", getSelf());
              })
          .build();
    }
  }

  @Test
  void aChangeOvertakesNothingThatIsReplied() {
    Limiter limiter =
        Limiter.builder(Limits.parse("peer(1/1s, margin=0ns)"))
            .time(late)
            .executor(Runnable::run)
            .build();
    ActorRef target = start(Props.create(Replying.class, () -> new Replying(first)));
    ActorRef throttler =
        start(ThrottlerActor.props(limiter, options.withReplies(Duration.ofSeconds(30))));
    send(throttler, new SetTarget(target), "1");
    RepliesTest.await(() -> limiter.snapshot().open() == 0);
    send(throttler, "2");
    late.lateNanos = Duration.ofMillis(1500).toNanos();
    send(throttler, SetTarget.none());
    assertDelivered("1@0", "2@0");
    RepliesTest.await(() -> limiter.snapshot().open() == 0);
  }
}
