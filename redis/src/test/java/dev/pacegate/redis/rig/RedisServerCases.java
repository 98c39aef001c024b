package dev.pacegate.redis.rig;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SslOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a {@link RedisServer} does, whichever version runs. */
@Timeout(120)
abstract class RedisServerCases {

  abstract Version version();

  abstract String versionPrefix();

  @Test
  void keepsWhatItIsGiven() throws Exception {
    try (var redis = RedisServer.start(version())) {
      assertEquals("OK", redis.command("SET", "key", "value"));
      assertEquals("value", redis.command("GET", "key"));
      assertNull(redis.command("GET", "other"));
      assertEquals(List.of(1L, "two"), redis.command("EVAL", "return {1, 'two'}", "0"));
      assertTrue(String.valueOf(redis.info("server", "redis_version")).startsWith(versionPrefix()));
      assertEquals(Long.toString(redis.pid()), redis.info("server", "process_id"));
      assertThrows(RedisErrorException.class, () -> redis.command("INCR", "key"));
    }
  }

  @Test
  void aKilledServerComesBackEmptyOnItsPort() throws Exception {
    try (var redis = RedisServer.start(version())) {
      redis.command("SET", "key", "value");
      long pid = redis.pid();
      redis.kill9();
      assertFalse(redis.isAlive());
      assertThrows(Exception.class, () -> redis.command("PING"));
      redis.restart();
      assertNotEquals(pid, redis.pid());
      assertNull(redis.command("GET", "key"));
    }
  }

  @Test
  void appendonlyOutlivesAKill() throws Exception {
    try (var redis =
        RedisServer.with(version()).set("appendonly", "yes").set("appendfsync", "always").start()) {
      redis.command("SET", "key", "value");
      redis.restart();
      assertEquals("value", redis.command("GET", "key"));
    }
  }

  @Test
  void aReplicaIsPromoted() throws Exception {
    try (var primary = RedisServer.start(version());
        var replica = RedisServer.with(version()).replicaOf(primary).start()) {
      primary.command("SET", "key", "value");
      replica.awaitInStep(primary);
      assertThrows(RedisErrorException.class, () -> replica.command("SET", "key", "other"));
      primary.kill9();
      replica.promote();
      assertEquals("OK", replica.command("SET", "other", "value"));
      assertEquals("value", replica.command("GET", "key"));
      primary.restart();
      primary.follow(replica);
      primary.awaitInStep(replica);
      assertEquals("value", primary.command("GET", "other"));
    }
  }

  @Test
  void writesWantReplicas() throws Exception {
    try (var primary = RedisServer.with(version()).minReplicasToWrite(1, 2).start()) {
      var refused =
          assertThrows(RedisErrorException.class, () -> primary.command("SET", "key", "value"));
      assertTrue(String.valueOf(refused.getMessage()).startsWith("NOREPLICAS"));
      try (var replica = RedisServer.with(version()).replicaOf(primary).start()) {
        replica.awaitInStep(primary);
        Await.until(
            "the primary has heard of its replica",
            Duration.ofSeconds(60),
            () -> Objects.equals(primary.info("replication", "min_slaves_good_slaves"), "1"));
        assertEquals("OK", primary.command("SET", "key", "value"));
      }
    }
  }

  @Test
  void aStoppedServerHoldsItsConnections() throws Exception {
    try (var redis = RedisServer.start(version());
        var client = RedisClient.create(redis.uri());
        var connection = client.connect()) {
      redis.stop();
      CompletableFuture<String> pong = connection.async().ping().toCompletableFuture();
      assertThrows(Exception.class, () -> pong.copy().get(200, TimeUnit.MILLISECONDS), "an answer");
      assertTrue(connection.isOpen());
      redis.cont();
      assertEquals("PONG", pong.get(60, TimeUnit.SECONDS));
    }
  }

  @Test
  void asksForPasswords() throws Exception {
    try (var redis =
            RedisServer.with(version())
                .password("secret")
                .user("app on >other ~* +@all -info")
                .start();
        var client = RedisClient.create(redis.uri());
        var app = RedisClient.create(redis.uri("app", "other"));
        var stranger = RedisClient.create("redis://127.0.0.1:" + redis.port())) {
      assertEquals("PONG", client.connect().sync().ping());
      var connection = app.connect().sync();
      assertEquals("PONG", connection.ping());
      assertThrows(Exception.class, connection::info);
      assertThrows(Exception.class, () -> stranger.connect().sync().ping());
    }
  }

  @Test
  void memoryIsBounded() throws Exception {
    try (var redis = RedisServer.with(version()).maxMemory("100kb", "noeviction").start()) {
      assertEquals("noeviction", redis.info("memory", "maxmemory_policy"));
      // As small as that is less than the server itself needs.
      var refused =
          assertThrows(RedisErrorException.class, () -> redis.command("SET", "key", "value"));
      assertTrue(String.valueOf(refused.getMessage()).startsWith("OOM"));
    }
  }

  @Test
  void speaksTls() throws Exception {
    try (var redis = RedisServer.with(version()).tls().start()) {
      redis.command("SET", "key", "value");
      var uri = RedisURI.create(redis.uri());
      var trusting = SslOptions.builder().trustManager(redis.certificate().toFile()).build();
      try (var client = RedisClient.create(uri)) {
        client.setOptions(ClientOptions.builder().sslOptions(trusting).build());
        assertEquals("value", client.connect().sync().get("key"));
      }
      try (var distrustful = RedisClient.create(uri)) {
        assertThrows(Exception.class, distrustful::connect);
      }
    }
  }

  @Test
  void aWrongSettingIsShownAndLeavesNothing() throws Exception {
    var setup = RedisServer.with(version()).set("maxmemory", "x");
    assertThrows(AssertionError.class, setup::start); // makes what is made once
    List<Path> before = serverFolders();
    var error = assertThrows(AssertionError.class, setup::start);
    assertTrue(String.valueOf(error.getMessage()).contains("maxmemory"), error.getMessage());
    assertEquals(before, serverFolders());
  }

  private static List<Path> serverFolders() throws IOException {
    try (Stream<Path> all = Files.list(Folders.ofThisJvm())) {
      return all.filter(path -> path.getFileName().toString().startsWith("server"))
          .sorted()
          .toList();
    }
  }
}
