package org.example.rounds;

import dev.pacegate.Limiter;
import dev.pacegate.Permit;
import dev.pacegate.Share;
import dev.pacegate.audit.Audit;
import dev.pacegate.limit.Cost;
import dev.pacegate.limit.Limit;
import dev.pacegate.limit.Limits;
import dev.pacegate.limit.Rate;
import dev.pacegate.simulator.Client;
import dev.pacegate.simulator.Delay;
import dev.pacegate.simulator.Network;
import dev.pacegate.simulator.PeerSide;
import dev.pacegate.simulator.Rule;
import dev.pacegate.simulator.Scenario;
import dev.pacegate.simulator.Simulation;
import dev.pacegate.time.ManualTime;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/** Runs the limit through all that handles limits, and prints what came of it. */
final class Main {

  private static final long SECOND = 1_000_000_000L;
  private static final Limit ROUNDS = new Rounds(3, Duration.ofSeconds(1));

  private Main() {}

  public static void main(String[] args) throws Exception {
    limiter();
    say("a sum", went(ROUNDS.and(Limits.parse("2/1m")), 5));
    spent();
    changes();
    simulator();
    audit();
    refused();
  }

  private static void limiter() throws InterruptedException {
    ManualTime time = ManualTime.selfAdvancing();
    Limiter limiter = Limiter.builder(ROUNDS).time(time).build();
    for (int i = 0; i < 3; i++) {
      time.advance(Duration.ofMillis(900));
      limiter.acquire().close();
    }
    say("estimate", limiter.estimateWait(1));
    limiter.acquire().close();
    say("fourth at", Duration.ofNanos(time.nanoTime()));
    say("snapshot", limiter.snapshot().most());
  }

  /** Returns how many of {@code tries} go at once. */
  private static int went(Limit limit, int tries) {
    return went(Limiter.builder(limit).time(ManualTime.manual()).build(), tries);
  }

  private static int went(Limiter limiter, int tries) {
    var went = new AtomicInteger();
    for (int i = 0; i < tries; i++) {
      limiter.tryAcquire().ifPresent(permit -> went.incrementAndGet());
    }
    return went.get();
  }

  private static void spent() {
    var meter = ROUNDS.newSpentMeter(0, InstantSource.system());
    say("spent, one waits", Duration.ofNanos(meter.nanosUntil(0, 0, Cost.ONE)));
  }

  private static void changes() {
    say("from a window", changed(Limits.parse("3/1s"), ROUNDS));
    say("to a window", changed(ROUNDS, Limits.parse("3/1s")));
    say("to itself", changed(ROUNDS, new Rounds(3, Duration.ofSeconds(1))));
    say("to a longer one", changed(ROUNDS, new Rounds(4, Duration.ofMinutes(1))));
    say("to one as the peer counts", changed(ROUNDS, Limits.parse("peer(3/1s)")));
    say("from one as the peer counts", changed(Limits.parse("peer(3/1s)"), ROUNDS));
  }

  /** Returns how many go when 3 have gone and the limit changes; and then, a second later. */
  private static String changed(Limit from, Limit to) {
    ManualTime time = ManualTime.manual();
    Limiter limiter = Limiter.builder(from).time(time).build();
    for (int i = 0; i < 3; i++) {
      try (Permit permit = limiter.tryAcquire().orElseThrow()) {
        permit.answered();
      }
    }
    limiter.setLimit(to);
    int atOnce = went(limiter, 5);
    time.advance(Duration.ofMillis(1_100));
    return atOnce + " at once, " + went(limiter, 5) + " a second later";
  }

  private static void simulator() {
    Delay none = new Delay.Between(0, 0);
    var scenario =
        new Scenario(
            ROUNDS,
            Client.busy(),
            Network.of(none, none, none),
            PeerSide.of(new Rule.Sliding(new Rate(3, SECOND))),
            3_000,
            42);
    var result = Simulation.run(scenario);
    say("simulated, kept", result.kept());
    say("simulated, of theory", Math.round(100 * result.shareOfTheory()) + "%");
  }

  private static void audit() {
    var audit = Audit.of(ROUNDS);
    audit.add(0).add(SECOND / 2).add(SECOND).add(2 * SECOND);
    say("audit", audit.report().text());
    audit.add(2 * SECOND).add(2 * SECOND).add(3 * SECOND - 1);
    say("audit", audit.report().text());
  }

  private static void refused() {
    refused("share", () -> Limiter.builder(ROUNDS).lane("vip", Share.weight(1).reserving(50)).build());
    refused("peer", () -> Limits.peer(ROUNDS));
    refused("starts", () -> Limits.starts(ROUNDS));
    refused("text", () -> Limits.parse(ROUNDS.toString()));
    refused("state", () -> Limiter.builder(ROUNDS).state(Path.of("rounds.state")).build());
  }

  private static void refused(String what, Supplier<Object> attempt) {
    try {
      say(what, "not refused: " + attempt.get());
    } catch (IllegalArgumentException e) {
      say(what, "refused: " + e.getMessage());
    }
  }

  private static void say(String what, Object found) {
    System.out.println(what + ": " + found);
  }
}
