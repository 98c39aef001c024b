package dev.pacegate.redis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import dev.pacegate.redis.rig.CutProxy;
import dev.pacegate.redis.rig.RedisServer;
import dev.pacegate.redis.rig.Version;
import io.lettuce.core.RedisClient;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What the Redis client does when a connection is lost, as far as WAIT relies on it. */
@Timeout(120)
class WireTest {

  private final Wire wire = new Wire();
  private RedisServer server;
  private RedisServer other;
  private RedisServer replica;
  private CutProxy proxy;
  private RedisClient client;

  @BeforeEach
  void start() throws Exception {
    server = RedisServer.start(Version.V6_2);
    other = RedisServer.start(Version.V6_2);
    replica = RedisServer.with(Version.V6_2).replicaOf(other).start();
    replica.awaitInStep(other);
    proxy = new CutProxy(server.port());
    client = RedisClient.create(proxy.uri(server));
    client.addListener(wire);
  }

  @AfterEach
  void close() throws Exception {
    try (var one = server;
        var two = other;
        var three = replica;
        var between = proxy) {
      client.shutdown(Duration.ZERO, Duration.ofSeconds(2));
    }
  }

  /** The client repeats it on its next connection, of which nothing is to be confirmed. */
  @Test
  void aWaitThatIsRepeatedIsConfirmedByAnotherServersReplicaOnAnotherConnection() throws Exception {
    try (var connection = client.connect()) {
      wire.follow(connection);
      long before = wire.number();
      connection.sync().set("key", "value"); // which no replica gets
      var after = new CompletableFuture<Long>();
      var unused = connection.async().waitForReplication(1, 60_000); // a reset fails the first
      var confirmed =
          connection
              .async()
              .waitForReplication(1, 60_000)
              .whenComplete((count, failure) -> after.complete(wire.number()));
      proxy.redirect(other.port());
      assertEquals(1, confirmed.toCompletableFuture().get(60, TimeUnit.SECONDS));
      assertNotEquals(before, after.get(60, TimeUnit.SECONDS));
    }
  }

  @Test
  void theAddressIsThatOfTheConnection() {
    try (var connection = client.connect();
        var second = client.connect()) {
      wire.follow(connection);
      second.sync().ping();
      connection.sync().ping();
      assertEquals("127.0.0.1:" + proxy.port(), wire.address());
      assertEquals(0, wire.number());
    }
  }
}
