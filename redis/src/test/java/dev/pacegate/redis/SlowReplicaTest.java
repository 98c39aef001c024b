package dev.pacegate.redis;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.pacegate.Limiter;
import dev.pacegate.Permit;
import dev.pacegate.redis.rig.Await;
import dev.pacegate.redis.rig.CutProxy;
import dev.pacegate.redis.rig.RedisServer;
import dev.pacegate.redis.rig.Version;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * Many limits and keys of one process, and a replica that is far away, stands still or has just
 * come: one question at a time is confirmed for all calls, and by those alone that are named.
 */
@Tag("servers")
@Execution(ExecutionMode.CONCURRENT)
@Timeout(600)
class SlowReplicaTest {

  private static final String SECRET = "a secret of all nodes";
  private static final Duration SOON = Duration.ofMinutes(4); // where the machine is busy

  /** Each way. Questions one after the other would take longer than a call may. */
  private static final Duration FAR = Duration.ofMillis(20);

  /** What is leased may be used for longer than a question may take. */
  private static final String LONGER = "100/4s";

  /** So long may be used what is leased of that, and reserved before, and a little more. */
  private static final Duration LEASED = Duration.ofMillis(2200);

  /** It takes a second; a question for each call of 150 keys would take 60. */
  private static final Duration BACKLOG = Duration.ofSeconds(30);

  private static final Pattern LAG = Pattern.compile("lag=(\\d+)");

  @Test
  void eachOfManyNamesKeepsGettingPermitsWhileAReplicaIsFarAway() throws Exception {
    try (var first = RedisServer.start(Version.V7);
        var link = new CutProxy(first.port());
        var second = replica(link);
        var redis = connect(first)) {
      second.awaitInStep(first);
      link.delay(FAR, FAR);
      List<Taker> takers = takeOf(redis, 30);
      awaitMore(takers, 50);
      assertEquals(List.of(address(second)), replicas(redis, "api0"));
    }
  }

  /** What came while it stood still is not asked for call by call: that took minutes. */
  @Test
  void afterAReplicaStoodStillEachOfManyKeysSoonGetsPermits() throws Exception {
    try (var first = RedisServer.start(Version.V7);
        var second = RedisServer.with(Version.V7).replicaOf(first).start();
        var redis = connect(first);
        var people = connect(first);
        var accounts = redis.keyed("accounts", "peer(10/1s)").<Integer>build()) {
      second.awaitInStep(first);
      List<Taker> takers =
          IntStream.range(0, 150)
              .mapToObj(key -> new Taker(() -> accounts.acquireAsync(key)))
              .toList();
      takers.forEach(Taker::take);
      awaitMore(takers, 1);
      second.stop();
      Await.until("it has stood still for long", SOON, () -> lag(first) >= 6);
      second.cont();
      awaitMore(takers, 3, BACKLOG);
      assertEquals(List.of(address(second)), replicas(redis, "accounts"));
      second.stop();
      Await.until("it has stood still for long again", SOON, () -> lag(first) >= 6);
      first.command("CLIENT", "KILL", "TYPE", "replica");
      Await.until("it is forgotten", SOON, () -> isForgotten(people, address(second)));
      awaitMore(takers, 3, BACKLOG);
    }
  }

  /** It would be counted in place of the one that was promoted, as no call has named it yet. */
  @Test
  void aReplicaThatEndsItsFirstSynchronisationConfirmsForNoOther() throws Exception {
    try (var first = RedisServer.start(Version.V7);
        var link = new CutProxy(first.port());
        var later = new CutProxy(first.port());
        var second = replica(link);
        var third = RedisServer.start(Version.V7);
        var people = connect(first)) {
      second.awaitInStep(first);
      var processes = new ArrayList<RedisLimiters>(); // one of them asks just then
      for (int i = 0; i < 8; i++) {
        processes.add(connect(first));
      }
      List<Limiter> apis =
          IntStream.range(0, 8).mapToObj(i -> processes.get(i).limiter("api" + i, LONGER)).toList();
      for (Limiter api : apis) {
        api.acquire().answered(); // now its record names the second
      }
      later.hold();
      third.follow(later);
      link.hold();
      long last = System.nanoTime() + LEASED.toNanos();
      second.promote();
      Thread.sleep(LEASED.toMillis()); // until nothing is left but what comes by mistake
      List<Taker> takers = apis.stream().map(api -> new Taker(() -> api.acquireAsync(1))).toList();
      takers.forEach(Taker::take);
      later.heal();
      Await.until(
          "the new one is named", SOON, () -> replicas(people, "api0").contains(address(third)));
      processes.forEach(RedisLimiters::close);
      assertEquals(0, takers.stream().mapToLong(taker -> taker.since(last)).sum());
    }
  }

  /** A primary does not notice at once that a replica has left, if the network does not tell. */
  private static RedisServer replica(CutProxy link) throws Exception {
    return RedisServer.with(Version.V7).set("replicaof", "127.0.0.1 " + link.port()).start();
  }

  private static RedisLimiters connect(RedisServer server) throws InterruptedException {
    return Await.value(
        "a connection",
        Duration.ofMinutes(1),
        RedisLimiters.builder(server.uri()).fresh().secret(SECRET)::connect);
  }

  private static String address(RedisServer server) {
    return "127.0.0.1:" + server.port();
  }

  private static List<String> replicas(RedisLimiters redis, String name)
      throws InterruptedException {
    return Await.value(
        "a status",
        Duration.ofMinutes(1),
        () -> redis.operations().status(name).orElseThrow().replicas());
  }

  private static boolean isForgotten(RedisLimiters people, String replica) throws Exception {
    if (replicas(people, "accounts").contains(replica)) { // not by a try whose reply was lost
      people.operations().forgetReplica("accounts", replica, "it stands still");
    }
    return true;
  }

  /** Returns for how many seconds the first replica has told nothing. */
  private static int lag(RedisServer server) throws Exception {
    Matcher lag = LAG.matcher("" + server.info("replication", "slave0"));
    return lag.find() ? Integer.parseInt(lag.group(1)) : 0;
  }

  private static List<Taker> takeOf(RedisLimiters redis, int names) {
    List<Taker> takers =
        IntStream.range(0, names)
            .mapToObj(i -> redis.limiter("api" + i, "100/1s"))
            .map((Limiter api) -> new Taker(() -> api.acquireAsync(1)))
            .toList();
    takers.forEach(Taker::take);
    return takers;
  }

  private static void awaitMore(List<Taker> takers, int more) throws InterruptedException {
    awaitMore(takers, more, SOON);
  }

  private static void awaitMore(List<Taker> takers, int more, Duration longest)
      throws InterruptedException {
    List<Integer> before = takers.stream().map(Taker::count).toList();
    Await.until(
        () -> "each gets " + more + " of " + takers.stream().map(Taker::count).toList(),
        longest,
        () ->
            IntStream.range(0, takers.size())
                .allMatch(i -> takers.get(i).count() - before.get(i) >= more));
  }

  /** Takes one permit after the other, until its limiter is closed. */
  private static final class Taker {
    private final Supplier<? extends CompletionStage<Permit>> next;
    private final Queue<Long> starts = new ConcurrentLinkedQueue<>();

    Taker(Supplier<? extends CompletionStage<Permit>> next) {
      this.next = next;
    }

    void take() {
      var unused =
          next.get()
              .thenAcceptAsync(
                  permit -> {
                    starts.add(permit.releasedAt());
                    permit.answered();
                    take();
                  });
    }

    int count() {
      return starts.size();
    }

    /** Returns how many it got later than that. */
    long since(long instant) {
      return starts.stream().filter(start -> start - instant > 0).count();
    }
  }
}
