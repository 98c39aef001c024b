package dev.pacegate.redis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.Limiter;
import dev.pacegate.Permit;
import dev.pacegate.SourceUnavailableException;
import dev.pacegate.audit.Audit;
import dev.pacegate.context.ContextPropagator;
import dev.pacegate.limit.Limits;
import dev.pacegate.redis.rig.Await;
import dev.pacegate.redis.rig.Ports;
import dev.pacegate.redis.rig.RedisServer;
import dev.pacegate.redis.rig.Version;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisConnectionException;
import io.lettuce.core.RedisException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Limiters on a real server. */
@Timeout(120)
class RedisLimitersTest {

  private static final Duration SOON = Duration.ofSeconds(60);

  private static RedisServer shared;

  // The limiters' own client gives up a server that a stalled machine keeps silent for a second.
  private static RedisClient client;

  @BeforeAll
  static void start() throws Exception {
    shared = RedisServer.start(Version.V6_2);
    client = RedisClient.create(shared.uri());
  }

  @BeforeEach
  void clear() throws Exception {
    shared.command("FLUSHALL");
  }

  @AfterAll
  static void stop() throws Exception {
    client.shutdown(Duration.ZERO, Duration.ofSeconds(2));
    shared.close();
  }

  @Test
  void itsLimitersCarryTheContextThatWasSet() {
    ContextPropagator tenant = job -> job;
    try (var redis = RedisLimiters.builder(client).context(tenant).connect();
        var usual = RedisLimiters.builder(client).connect()) {
      assertSame(tenant, redis.limiter("a", "10/1s").context());
      assertSame(ContextPropagator.standard(), usual.limiter("a", "10/1s").context());
    }
  }

  @Test
  void processesShareALimit() throws Exception {
    try (var one = RedisLimiters.builder(client).fresh().connect();
        var two = RedisLimiters.builder(client).fresh().connect()) {
      List<Limiter> limiters =
          List.of(one.limiter("api", "20/200ms"), two.limiter("api", "20/200ms"));
      var audit = Audit.of(Limits.parse("20/200ms"));
      long first = limiters.get(0).acquire(1).releasedAt();
      long last = first;
      audit.add(first);
      for (int i = 0; i < 59; i++) {
        last = limiters.get(i % 2).acquire(1).releasedAt();
        audit.add(last);
      }
      assertTrue(audit.verdict().kept(), () -> audit.verdict().text());
      assertTrue(last - first >= TimeUnit.MILLISECONDS.toNanos(400));
    }
  }

  /** Also while no request waits in the process that keeps it open. */
  @Test
  void anAbandonedPermitGivesItsPlaceToAnotherProcess() throws Exception {
    try (var one = RedisLimiters.builder(client).fresh().connect();
        var two = RedisLimiters.builder(client).fresh().connect()) {
      String limit = "concurrent(1, abandon=300ms)";
      Permit leaked = one.limiter("api", limit).acquire(1);
      Permit next = two.limiter("api", limit).acquire(1);
      assertTrue(next.releasedAt() - leaked.releasedAt() >= TimeUnit.MILLISECONDS.toNanos(300));
      next.answered();
    }
  }

  @Test
  void aNameThatTheServerDoesNotKnowWaitsForTheFence() throws Exception {
    try (var redis = RedisLimiters.builder(client).connect()) {
      String limit = "peer(5/400ms, margin=0s, unanswered=100ms)";
      Limiter api = redis.limiter("api", limit);
      long began = System.nanoTime();
      api.acquire().answered();
      long fence = Terms.of(Limits.parse(limit), Duration.ZERO).fence();
      assertTrue(System.nanoTime() - began >= fence * 1000);
      assertTrue(api.snapshot().unavailable().isEmpty());
    }
  }

  @Test
  void aNameThatTheServerDoesNotKnowTellsOfItsFence() throws Exception {
    try (var redis = RedisLimiters.builder(client).connect()) {
      Limiter api = redis.limiter("api", "peer(5/1h)");
      Future<Permit> waiting = api.acquireAsync();
      var told = new ArrayList<String>();
      Await.until(
          "the fence is told",
          SOON,
          () -> {
            api.snapshot()
                .unavailable()
                .filter(why -> why.startsWith("no permits")) // not: the store is slow to answer
                .ifPresent(told::add);
            return !told.isEmpty();
          });
      assertEquals(
          "no permits are granted for long, because the store does not know this name and earlier"
              + " requests may still count",
          told.get(0).replaceFirst("for \\S+,", "for long,"));
      assertFalse(waiting.isDone());
    }
  }

  /** Giving back is tried for a second, which may be too short for a machine that stalls. */
  @Test
  void unusedPermitsAreGivenBackAtTheEnd() throws Exception {
    try (var two = RedisLimiters.builder(client).connect()) {
      var names = new ArrayList<String>();
      Await.until(
          "what is left is given back",
          SOON,
          () -> {
            String name = "api" + names.size();
            names.add(name);
            return spentByFiveUses(name) > 5 && spent(two, name) == 5;
          });
      Limiter api = two.limiter(names.get(names.size() - 1), "peer(10/1h)");
      for (int i = 0; i < 5; i++) {
        api.acquire().answered();
      }
      assertTrue(api.tryAcquire(1, Duration.ofMillis(300)).isEmpty());
    }
  }

  /** Returns how much is spent with what was leased and is not used. */
  private static long spentByFiveUses(String name) throws Exception {
    try (var one = RedisLimiters.builder(client).fresh().connect()) {
      Limiter api = one.limiter(name, "peer(10/1h)");
      for (int i = 0; i < 5; i++) {
        api.acquire().answered();
      }
      return spent(one, name);
    }
  }

  private static long spent(RedisLimiters redis, String name) {
    return redis.operations().status(name).orElseThrow().terms().get(0).spent();
  }

  @Test
  void aChangeReachesAllProcesses() throws Exception {
    try (var one = RedisLimiters.builder(client).fresh().connect();
        var two = RedisLimiters.builder(client).connect()) {
      Limiter first = one.limiter("api", "10/200ms");
      Limiter second = two.limiter("api", "10/200ms");
      first.acquire().close();
      second.acquire().close();
      first.setLimit("30/200ms");
      Await.until(
          "the first limiter has it", SOON, () -> first.limit().equals(Limits.parse("30/200ms")));
      Await.until(
          "the second limiter has it",
          SOON,
          () -> {
            second.acquire().close();
            return second.limit().equals(Limits.parse("30/200ms"));
          });
      try (var three = RedisLimiters.builder(client).connect()) {
        Limiter third = three.limiter("api", "10/200ms");
        third.acquire().close();
        assertEquals(Limits.parse("30/200ms"), third.limit());
      }
    }
  }

  /** Units of the limit before may yet be used, for longer than the next limit knows of. */
  @Test
  void aChangeThatFindsTheServerEmptyWaitsForTheFenceOfTheLimitBefore() throws Exception {
    String brief = "peer(10/100ms, margin=0s, unanswered=50ms)";
    String lengthy = "peer(10/1m, margin=0s, unanswered=50ms)";
    // Not fresh, as what is told of the first permit may reach the empty server before the change.
    try (var redis = RedisLimiters.builder(client).connect()) {
      Limiter api = redis.limiter("api", brief);
      api.acquire().answered();
      api.setLimit(lengthy);
      Await.until("the change", SOON, () -> api.limit().equals(Limits.parse(lengthy)));
      shared.command("FLUSHALL");
      api.setLimit(brief);
      Await.until("the change", SOON, () -> api.limit().equals(Limits.parse(brief)));
      Duration left = redis.operations().status("api").orElseThrow().fence();
      assertTrue(left.compareTo(Duration.ofSeconds(10)) > 0, left::toString);
    }
  }

  @Test
  void requestsWaitUntilTheServerIsBack() throws Exception {
    try (var server = RedisServer.start(Version.V6_2);
        var redis = RedisLimiters.builder(server.uri()).fresh().connect()) {
      Limiter api = redis.limiter("api", "peer(2/300ms, unanswered=100ms)");
      api.acquire().answered();
      server.kill9();
      Future<Permit> waiting = api.acquireAsync();
      assertFalse(waiting.isDone());
      server.restart();
      waiting.get(60, TimeUnit.SECONDS).answered();
    }
  }

  @Test
  void requestsAreRefusedIfTheirUserPrefersThat() throws Exception {
    try (var server = RedisServer.start(Version.V6_2);
        var redis = RedisLimiters.builder(server.uri()).fresh().whenDown(WhenDown.FAIL).connect()) {
      Limiter api = redis.limiter("api", "peer(2/300ms, unanswered=100ms)");
      Await.until("one is let through", SOON, () -> isLetThrough(api));
      server.kill9();
      Await.until(
          "a request is refused",
          SOON,
          () -> {
            try {
              api.acquire().answered();
              return false;
            } catch (SourceUnavailableException e) {
              assertSays("does not answer", e);
              return true;
            }
          });
      server.restart();
      Await.until(
          "requests go again",
          SOON,
          () ->
              api.tryAcquire()
                  .map(
                      p -> {
                        p.answered();
                        return true;
                      })
                  .orElse(false));
    }
  }

  @Test
  void anIdleLimiterCallsNothing() throws Exception {
    try (var redis = RedisLimiters.builder(client).fresh().connect()) {
      Limiter api = redis.limiter("api", "peer(10/200ms)");
      for (int i = 0; i < 30; i++) {
        api.acquire().answered();
      }
      Await.until(
          "ten intervals without a call",
          SOON,
          () -> {
            String calls = shared.info("commandstats", "cmdstat_evalsha");
            Thread.sleep(2000); // that nothing is called cannot be awaited
            return Objects.equals(calls, shared.info("commandstats", "cmdstat_evalsha"));
          });
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "aligned(10/1h)",
        "10/1ms",
        "spacing(1ms)",
        "bucket(1000/1s, burst=2)",
        "bucket(10/1s, burst=5, slack=10ms)",
        "bucket(10/1s, burst=5, pay=later)",
        "peer(bucket(10/1s, burst=5, initial=full))",
        "peer(10/1s, counted=1s)",
        "peer(10/1s, counted=headers)",
        "peer(10/1s) & warmup(10/1s, over=1m)",
        "unlimited"
      })
  void limitsThatItCannotCountAreRefused(String limit) throws Exception {
    try (var redis = RedisLimiters.builder(client).connect()) {
      var refused = assertThrows(IllegalArgumentException.class, () -> redis.limiter("api", limit));
      assertSays("share", refused);
    }
  }

  @Test
  void noLimiterIsMadeAfterTheClose() throws Exception {
    var redis = RedisLimiters.builder(client).connect();
    redis.close();
    var refused = assertThrows(IllegalStateException.class, () -> redis.limiter("api", "10/1s"));
    assertSays("closed", refused);
  }

  @Test
  void aReplicaIsRefused() throws Exception {
    try (var server = RedisServer.start(Version.V6_2);
        var replica = RedisServer.with(Version.V6_2).replicaOf(server).start()) {
      replica.awaitInStep(server);
      var ofReplica =
          assertThrows(IllegalStateException.class, () -> RedisLimiters.connect(replica.uri()));
      assertSays("primary", ofReplica);
      RedisLimiters.connect(server.uri()).close();
    }
  }

  /** Those would use what others wait for. */
  @Test
  void aProcessThatStatesAnotherPartitionIsRefused() throws Exception {
    try (var one = RedisLimiters.builder(client).fresh().connect();
        var other =
            RedisLimiters.builder(client)
                .whenDown(WhenDown.FAIL)
                .partition(Duration.ofSeconds(2))
                .connect()) {
      one.limiter("partitioned", "10/1s").acquire().answered();
      Limiter api = other.limiter("partitioned", "10/1s");
      Await.until("it is refused", Duration.ofSeconds(60), () -> says("sets a partition", api));
    }
  }

  private static boolean isLetThrough(Limiter api) throws InterruptedException {
    api.acquire().answered();
    return true;
  }

  private static boolean says(String text, Limiter api) throws Exception {
    try {
      api.acquire().answered();
      return false;
    } catch (SourceUnavailableException e) {
      return ("" + e.getMessage()).contains(text);
    }
  }

  @Test
  void aClientOfOneServerIsRefusedByAServerOfACluster() throws Exception {
    try (var server = RedisServer.with(Version.V6_2).set("cluster-enabled", "yes").start();
        var client = RedisClient.create(server.uri())) {
      var refused =
          assertThrows(IllegalStateException.class, () -> RedisLimiters.builder(client).connect());
      assertSays("cluster mode: pass its address, or a RedisClusterClient", refused);
    }
  }

  @Test
  void aClusterWithoutSlotsIsTold() throws Exception {
    try (var server = RedisServer.with(Version.V6_2).set("cluster-enabled", "yes").start()) {
      var refused = assertThrows(RedisException.class, () -> RedisLimiters.connect(server.uri()));
      assertSays("no node for the slot", refused);
    }
  }

  @Test
  void aSentinelThatDoesNotAnswerIsToldWithoutThePassword() throws Exception {
    String uri = "redis-sentinel://secret@127.0.0.1:" + Ports.free() + "/0#primary";
    var refused = assertThrows(RedisConnectionException.class, () -> RedisLimiters.connect(uri));
    assertSays("Connection refused", refused);
    assertFalse(("" + refused.getMessage()).contains("secret"), refused::getMessage);
  }

  private static void assertSays(String text, Throwable failure) {
    assertTrue(("" + failure.getMessage()).contains(text), failure::toString);
  }
}
