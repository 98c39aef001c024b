package dev.pacegate.redis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.Limiter;
import dev.pacegate.Permit;
import dev.pacegate.redis.rig.Await;
import dev.pacegate.redis.rig.RedisServer;
import dev.pacegate.redis.rig.RedisSetup;
import dev.pacegate.redis.rig.Version;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A server that is said to lose nothing: a restart costs no fence, and no permit too many. */
@Timeout(120)
class DurabilityTest {

  private static final String DAILY = "peer(20/1d, unanswered=1m)";
  private static final Duration BRIEF = Duration.ofMillis(300);

  private static RedisSetup durable(Version version) {
    return RedisServer.with(version)
        .user("app on >pw ~pacegate:* +@all -config")
        .set("appendonly", "yes")
        .set("appendfsync", "always");
  }

  private static RedisLimiters connect(String uri) {
    return RedisLimiters.builder(uri).fresh().durable().secret("sixteen characters").connect();
  }

  @Test
  void aRestartCostsNoFenceAndNoPermitTooMany() throws Exception {
    restartAgainAndAgain(Version.V6_2);
  }

  @Test
  @Tag("servers")
  void aRestartOfAServerOfTheMachineCostsNoFenceAndNoPermitTooMany() throws Exception {
    restartAgainAndAgain(Version.V7);
  }

  /** Killed at once after each permit: what was acknowledged is there, by old and new clients. */
  private static void restartAgainAndAgain(Version version) throws Exception {
    try (var server = durable(version).start();
        var log = new LoggedLines();
        var redis = connect(server.uri());
        var keyed = redis.keyed("keys", DAILY).<String>build()) {
      Limiter api = redis.limiter("api", DAILY);
      for (int i = 0; i < 6; i++) {
        take(api);
        keyed.acquireAsync("key").get(60, TimeUnit.SECONDS).answered();
        server.kill9();
        server.restart();
        try (var other = connect(server.uri())) {
          take(other.limiter("api", DAILY));
        }
      }
      for (int i = 12; i < 20; i++) {
        take(api);
      }
      assertTrue(api.tryAcquire(1, BRIEF).isEmpty());
      for (int i = 6; i < 20; i++) {
        keyed.acquireAsync("key").get(60, TimeUnit.SECONDS).answered();
      }
      assertTrue(keyed.limiter("key").tryAcquire(1, BRIEF).isEmpty());
      assertEquals(List.of(), log.with("no permits are granted"));
    }
  }

  private static void take(Limiter api) throws Exception {
    Permit permit = api.acquireAsync().get(60, TimeUnit.SECONDS);
    permit.answered();
  }

  @Test
  void aProcessThatDoesNotSaySoEndsIt() throws Exception {
    try (var server = durable(Version.V6_2).start();
        var redis = connect(server.uri())) {
      take(redis.limiter("api", DAILY));
      try (var other = RedisLimiters.connect(server.uri())) {
        take(other.limiter("api", DAILY));
      }
      assertEquals("durable no more", lastEntry(redis).what());
      server.restart();
      Await.until(
          "it has begun a fence, or will",
          Duration.ofMinutes(1),
          () -> isFenced(redis.operations()));
    }
  }

  /** It may take over, and knows less. */
  @Test
  void aReplicaThatComesEndsIt() throws Exception {
    try (var server = durable(Version.V6_2).start();
        var replica = RedisServer.start(Version.V6_2);
        var redis = connect(server.uri())) {
      Limiter api = redis.limiter("api", "100/1s");
      take(api);
      replica.follow(server);
      replica.awaitInStep(server);
      Await.until(
          "it is noted",
          Duration.ofMinutes(1),
          () -> {
            take(api);
            return !redis.operations().status("api").orElseThrow().audit().isEmpty();
          });
      SharedLimitStatus.Entry entry = lastEntry(redis);
      assertEquals("durable no more", entry.what());
      assertEquals("the store", entry.who());
      assertEquals("it has the replica 127.0.0.1:" + replica.port(), entry.why());
    }
  }

  private static SharedLimitStatus.Entry lastEntry(RedisLimiters redis)
      throws InterruptedException {
    return Await.value(
        "an entry",
        Duration.ofMinutes(1),
        () -> redis.operations().status("api").orElseThrow().audit().get(0));
  }

  private static boolean isFenced(Operations operations) {
    SharedLimitStatus status = operations.status("api").orElseThrow();
    return !status.doubt().isEmpty() || !status.fence().isZero();
  }

  @ParameterizedTest
  @CsvSource({
    "appendonly, no, Set appendonly yes",
    "appendfsync, everysec, Set appendfsync always",
    "no-appendfsync-on-rewrite, yes, Set no-appendfsync-on-rewrite no"
  })
  void aSettingThatContradictsIsRefused(String name, String value, String remedy) throws Exception {
    try (var server = durable(Version.V6_2).set(name, value).start()) {
      assertRefused(server, remedy);
      connect(server.uri("app", "pw")).close(); // it may not ask, and says nothing false
    }
  }

  @Test
  void aServerThatEvictsKeysOrHasReplicasIsRefused() throws Exception {
    try (var server = durable(Version.V6_2).maxMemory("100mb", "volatile-lru").start();
        var replica = RedisServer.start(Version.V6_2)) {
      assertRefused(server, "Set maxmemory-policy noeviction");
      server.command("CONFIG", "SET", "maxmemory", "0");
      connect(server.uri()).close();
      replica.follow(server);
      replica.awaitInStep(server);
      server.command("CONFIG", "SET", "min-replicas-to-write", "1");
      assertRefused(server, "Take one without replicas");
    }
  }

  private static void assertRefused(RedisServer server, String remedy) {
    var refused = assertThrows(IllegalStateException.class, () -> connect(server.uri()));
    assertTrue(("" + refused.getMessage()).contains("durable"), refused::toString);
    assertTrue(("" + refused.getMessage()).contains(remedy), refused::toString);
  }
}
