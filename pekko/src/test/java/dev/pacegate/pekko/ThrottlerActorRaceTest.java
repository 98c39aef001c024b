package dev.pacegate.pekko;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.typesafe.config.ConfigFactory;
import dev.pacegate.Limiter;
import dev.pacegate.pekko.ThrottlerActor.SetTarget;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.pekko.actor.AbstractActor;
import org.apache.pekko.actor.ActorRef;
import org.apache.pekko.actor.ActorSystem;
import org.apache.pekko.actor.AllDeadLetters;
import org.apache.pekko.actor.Props;
import org.apache.pekko.testkit.javadsl.TestKit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A throttler on real threads, that is restarted and given other targets while messages come. */
class ThrottlerActorRaceTest {

  private static final int SENDERS = 4;
  private static final int EACH = 2_000;

  private final ActorSystem system =
      ActorSystem.create(
          "race",
          ConfigFactory.parseString("pekko { loglevel = OFF, stdout-loglevel = OFF }")
              .withFallback(ConfigFactory.load()));

  @AfterEach
  void stopSystem() {
    TestKit.shutdownActorSystem(system);
  }

  private record Numbered(int sender, int number) {}

  private record Received(Numbered message, ActorRef sender) {}

  private static final class Target extends AbstractActor {

    private final ConcurrentLinkedQueue<Received> received;
    private final ConcurrentLinkedQueue<AllDeadLetters> lost;
    private final CountDownLatch all;

    Target(
        ConcurrentLinkedQueue<Received> received,
        ConcurrentLinkedQueue<AllDeadLetters> lost,
        CountDownLatch all) {
      this.received = received;
      this.lost = lost;
      this.all = all;
    }

    @Override
    public Receive createReceive() {
      return receiveBuilder()
          .match(
              Numbered.class,
              message -> {
                received.add(new Received(message, getSender()));
                all.countDown();
              })
          .match(AllDeadLetters.class, lost::add)
          .build();
    }
  }

  @Test
  void everyMessageIsDeliveredOnceInItsSendersOrderWithItsSender() throws InterruptedException {
    long seed = new Random().nextLong();
    var random = new Random(seed);
    var received = new ConcurrentLinkedQueue<Received>();
    var lost = new ConcurrentLinkedQueue<AllDeadLetters>();
    var all = new CountDownLatch(SENDERS * EACH);
    Limiter limiter = Limiter.of("bucket(20000/1s, burst=20)");
    var children = new ArrayList<ActorRef>();
    var ready = new CountDownLatch(1);
    Props props =
        ThrottlerActor.props(limiter, ThrottlerOptions.DEFAULT.withCapacity(SENDERS * EACH));
    system.actorOf(
        Props.create(
            ThrottlerActorTest.Parent.class,
            () -> new ThrottlerActorTest.Parent(props, children, ready)));
    assertTrue(ready.await(30, TimeUnit.SECONDS));
    ActorRef throttler = children.get(0);
    ActorRef target =
        system.actorOf(Props.create(Target.class, () -> new Target(received, lost, all)));
    system.eventStream().subscribe(target, AllDeadLetters.class);
    var names = new ArrayList<ActorRef>();
    var threads = new ArrayList<Thread>();
    for (int i = 0; i < SENDERS; i++) {
      int sender = i;
      ActorRef name = system.actorOf(Props.empty());
      names.add(name);
      threads.add(
          new Thread(
              () -> {
                for (int n = 0; n < EACH; n++) {
                  throttler.tell(new Numbered(sender, n), name);
                }
              }));
    }
    throttler.tell(new SetTarget(target), ActorRef.noSender());
    threads.forEach(Thread::start);
    for (int i = 0; i < 200; i++) {
      if (random.nextBoolean()) {
        children.get(1).tell("fail", ActorRef.noSender());
      } else {
        throttler.tell(SetTarget.none(), ActorRef.noSender());
      }
      Thread.onSpinWait();
      throttler.tell(new SetTarget(target), ActorRef.noSender());
    }
    for (Thread thread : threads) {
      thread.join();
    }
    assertTrue(all.await(60, TimeUnit.SECONDS), "seed " + seed + ": missing " + all.getCount());
    int[] next = new int[SENDERS];
    for (Received one : received) {
      assertEquals(next[one.message().sender()]++, one.message().number(), "seed " + seed);
      assertEquals(names.get(one.message().sender()), one.sender(), "seed " + seed);
    }
    assertEquals(List.of(EACH, EACH, EACH, EACH), List.of(next[0], next[1], next[2], next[3]));
    assertEquals(List.of(), List.copyOf(lost), "seed " + seed);
    assertEquals(0, limiter.snapshot().open());
  }
}
