package dev.pacegate.pekko;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.pacegate.limit.Limits;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.pekko.actor.AbstractActor;
import org.apache.pekko.actor.ActorRef;
import org.apache.pekko.actor.Props;
import org.apache.pekko.actor.typed.DispatcherSelector;
import org.apache.pekko.actor.typed.javadsl.Adapter;
import org.apache.pekko.event.Logging;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Which targets a throttler watches: Pekko publishes whom it begins and ends to watch. */
class WatchTest extends ActorTest {

  private final List<String> watched = new CopyOnWriteArrayList<>();
  private final ActorRef first = recorder();
  private final ActorRef second = recorder();

  private final class Watching extends AbstractActor {
    @Override
    public Receive createReceive() {
      return receiveBuilder().match(Logging.Debug.class, this::record).build();
    }

    private void record(Logging.Debug event) {
      String text = String.valueOf(event.message());
      int end = text.indexOf(" watched by ");
      for (ActorRef target : List.of(first, second)) {
        if (end > 0 && event.logSource().contains(target.path().toStringWithoutAddress())) {
          watched.add(text.substring(0, end) + " " + (target.equals(first) ? "first" : "second"));
        }
      }
    }
  }

  @BeforeEach
  void record() {
    ActorRef watching = start(Props.create(Watching.class, Watching::new));
    system.eventStream().subscribe(watching, Logging.Debug.class);
  }

  private static void send(ActorRef to, Object... messages) {
    for (Object message : messages) {
      to.tell(message, ActorRef.noSender());
    }
  }

  private void changeTargets(ThrottlerOptions with) {
    ActorRef throttler = start(ThrottlerActor.props(Limits.parse("1/1s"), with));
    send(throttler, new ThrottlerActor.SetTarget(first), new ThrottlerActor.SetTarget(first));
    send(throttler, new ThrottlerActor.SetTarget(second), ThrottlerActor.SetTarget.none());
  }

  @Test
  void aFormerTargetIsWatchedNoMore() {
    changeTargets(options);
    assertEquals(
        List.of("now first", "now second", "no longer first", "no longer second"), watched);
  }

  @Test
  void aFormerTargetThatMayStillReplyIsWatched() {
    changeTargets(options.withReplies(Duration.ofSeconds(1)));
    assertEquals(List.of("now first", "now second"), watched);
  }

  @Test
  void aFormerTargetOfATypedActorIsWatchedNoMore() {
    var throttler =
        Adapter.spawnAnonymous(
            system,
            ThrottlerBehavior.<String>create(Limits.parse("1/1s"), options),
            DispatcherSelector.fromConfig(ON_THE_CALLING_THREAD));
    started(Adapter.toClassic(throttler));
    throttler.tell(new ThrottlerBehavior.SetTarget<>(Adapter.<String>toTyped(first)));
    throttler.tell(new ThrottlerBehavior.SetTarget<>(Adapter.<String>toTyped(first)));
    throttler.tell(new ThrottlerBehavior.SetTarget<>(Adapter.<String>toTyped(second)));
    throttler.tell(ThrottlerBehavior.SetTarget.none());
    assertEquals(
        List.of("now first", "now second", "no longer first", "no longer second"), watched);
  }
}
