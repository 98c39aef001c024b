package dev.pacegate.redis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.Limiter;
import dev.pacegate.redis.rig.Await;
import dev.pacegate.redis.rig.RedisServer;
import dev.pacegate.redis.rig.Version;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Settings of a server with which limits would wait again and again are told when they are used.
 */
@Timeout(120)
class ServerSettingsTest {

  private static final String WITHOUT_REPLICAS =
      "this server has replicas, and min-replicas-to-write is 0: if it is replaced and later"
          + " started as a primary again, without its data file or with an old one, both servers"
          + " grant permits. Set min-replicas-to-write 1";

  /** Only keys that end by themselves, as those of keyed limits do, are dropped by "volatile". */
  @ParameterizedTest
  @CsvSource({
    "100mb, allkeys-lru, 1, 1",
    "100mb, volatile-ttl, 0, 1",
    "100mb, noeviction, 0, 0",
    "0, allkeys-lru, 0, 0"
  })
  void aServerThatDropsKeysIsWarnedOf(String memory, String policy, int atConnect, int ofKeys)
      throws Exception {
    try (var server = RedisServer.with(Version.V6_2).maxMemory(memory, policy).start();
        var log = new LoggedLines();
        var redis = RedisLimiters.builder(server.uri()).secret("sixteen characters").connect()) {
      assertEquals(atConnect, log.with("maxmemory-policy " + policy).size());
      redis.limiter("api", "peer(10/1s)");
      assertEquals(atConnect, log.with("maxmemory-policy").size());
      redis.keyed("accounts", "peer(10/1s)");
      List<String> lines = log.with("accounts: ");
      assertEquals(ofKeys, lines.size(), lines::toString);
      if (ofKeys > 0) {
        assertEquals(
            "accounts: this server evicts keys when its memory is full (maxmemory-policy "
                + policy
                + ", maxmemory 100.00M): after each eviction, no key gets a permit for a fence,"
                + " and none at all while evictions continue. Set maxmemory-policy noeviction",
            lines.get(0));
      }
    }
  }

  @Test
  void aServerThatForgetsAPromotionTooSoonIsRefused() throws Exception {
    try (var server =
            RedisServer.with(Version.V6_2)
                .user("app on >pw ~pacegate:* +@all -config")
                .set("repl-backlog-ttl", "59")
                .start();
        var replica = RedisServer.start(Version.V6_2)) {
      connect(server.uri());
      replica.follow(server);
      replica.awaitInStep(server);
      var refused = assertThrows(IllegalStateException.class, () -> connect(server.uri()));
      assertTrue(
          ("" + refused.getMessage()).endsWith("Set repl-backlog-ttl 60 or more, or 0"),
          refused::toString);
      connect(server.uri("app", "pw")); // may not ask
      for (String enough : List.of("60", "0")) {
        server.command("CONFIG", "SET", "repl-backlog-ttl", enough);
        connect(server.uri());
      }
    }
  }

  /** Started again after it was replaced, it would grant beside its replica. */
  @Test
  void aPrimaryThatGrantsWithoutItsReplicasIsWarnedOf() throws Exception {
    try (var server = RedisServer.start(Version.V6_2);
        var replica = RedisServer.with(Version.V6_2).replicaOf(server).start();
        var log = new LoggedLines()) {
      replica.awaitInStep(server);
      try (var redis = RedisLimiters.builder(server.uri()).fresh().connect()) {
        assertEquals(1, log.with(WITHOUT_REPLICAS).size());
        redis.limiter("api", "peer(10/1s)").acquire().answered();
        assertEquals(1, log.with("min-replicas-to-write").size());
      }
      server.command("CONFIG", "SET", "min-replicas-to-write", "1");
      connect(server.uri());
      assertEquals(1, log.with("min-replicas-to-write").size());
    }
  }

  @Test
  void aPrimaryWhoseFirstReplicaComesLaterIsWarnedOfOnceThen() throws Exception {
    try (var server = RedisServer.start(Version.V6_2);
        var replica = RedisServer.start(Version.V6_2);
        var log = new LoggedLines();
        var redis = RedisLimiters.builder(server.uri()).fresh().connect()) {
      Limiter api = redis.limiter("api", "peer(1000/1s)");
      api.acquire().answered();
      assertEquals(0, log.with("min-replicas-to-write").size());
      replica.follow(server);
      replica.awaitInStep(server);
      Await.until(
          "it is warned of",
          Duration.ofMinutes(1),
          () -> {
            api.acquire().answered();
            return !log.with(WITHOUT_REPLICAS).isEmpty();
          });
      api.acquire().answered();
      assertEquals(1, log.with("min-replicas-to-write").size());
    }
  }

  private static void connect(String uri) {
    RedisLimiters.builder(uri).partition(Duration.ZERO).connect().close();
  }
}
