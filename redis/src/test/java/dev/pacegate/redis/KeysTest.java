package dev.pacegate.redis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.KeyedLimiter;
import dev.pacegate.SourceUnavailableException;
import dev.pacegate.limit.Limits;
import dev.pacegate.redis.rig.Await;
import dev.pacegate.redis.rig.RedisServer;
import dev.pacegate.redis.rig.Version;
import io.lettuce.core.RedisClient;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Limits of keys on a real server: when a key waits, what is stored of it, and who may use it. */
@Timeout(120)
@Tag("servers")
class KeysTest {

  private static final String SECRET = "a secret of all nodes";
  private static final Duration SOON = Duration.ofSeconds(60);

  private static final String LIMIT = "peer(10/400ms, unanswered=300ms)";
  private static final long FENCE = Terms.of(Limits.parse(LIMIT), Duration.ZERO).fence() * 1000;

  private static RedisServer server;

  // The limiters' own client gives up a server that a stalled machine keeps silent for a second.
  private static RedisClient client;

  @BeforeAll
  static void start() throws Exception {
    server = RedisServer.start(Version.V6_2);
    client = RedisClient.create(server.uri());
  }

  @BeforeEach
  void clear() throws Exception {
    server.command("FLUSHALL");
  }

  @AfterAll
  static void stop() throws Exception {
    client.shutdown(Duration.ZERO, Duration.ofSeconds(2));
    server.close();
  }

  private static RedisLimiters connect() {
    return RedisLimiters.builder(client).secret(SECRET).connect();
  }

  private static RedisLimiters fresh() {
    return RedisLimiters.builder(client).secret(SECRET).fresh().connect();
  }

  @Test
  void aNewKeyDoesNotWaitForAFence() throws Exception {
    try (var redis = connect();
        var accounts = redis.keyed("accounts", LIMIT).<String>build()) {
      long began = System.nanoTime();
      accounts.acquire("first").close(); // behind the fence of a name that was never seen
      assertTrue(System.nanoTime() - began >= FENCE);

      for (int key = 0; key < 20; key++) {
        accounts.acquire("key" + key).close();
      }

      assertEquals(Duration.ZERO, redis.operations().status("accounts").orElseThrow().fence());
    }
  }

  /** So metrics and alerts of all keys together tell of it. */
  @Test
  void aFenceOfAllKeysIsToldOfThemTogether() throws Exception {
    try (var redis = connect();
        var accounts = redis.keyed("accounts", "peer(10/1h)").<String>build()) {
      assertEquals(Optional.empty(), accounts.all().snapshot().unavailable());
      var waiting = accounts.acquireAsync("a");
      Await.until(
          "the fence is told",
          SOON,
          () ->
              accounts
                  .all()
                  .snapshot()
                  .unavailable()
                  .orElse("")
                  .startsWith("no permits are granted"));
      assertFalse(waiting.isDone());
    }
  }

  /** Units of a key that was lost may be in use: all keys wait for a fence. */
  @Test
  void afterALossAllKeysWait() throws Exception {
    try (var redis = connect();
        var accounts = redis.keyed("accounts", LIMIT).<String>build()) {
      accounts.acquire("a").close();
      long began = System.nanoTime();
      server.command("FLUSHALL");
      accounts.acquire("b").close();
      assertTrue(System.nanoTime() - began >= FENCE);
    }
  }

  @Test
  void aKeyThatSharesAnothersLimitUsesItUp() throws Exception {
    try (var one = fresh();
        var other = fresh();
        var ones = one.keyed("accounts", "peer(4/1h, unanswered=1s)").<String>build();
        var others = other.keyed("accounts", "peer(4/1h, unanswered=1s)").<String>build()) {
      for (int i = 0; i < 3; i++) { // with two it would keep a third for a while
        ones.acquire("a").close();
      }
      others.acquire("a").close();
      Await.until("it is used up", SOON, () -> others.tryAcquire("a").isEmpty());
      assertTrue(ones.tryAcquire("a").isEmpty());
      others.acquire("b").close();
    }
  }

  @Test
  void theServerDoesNotSeeTheKeys() throws Exception {
    try (var redis = connect();
        var accounts = redis.keyed("accounts", "peer(10/1h, unanswered=1s)").<String>build()) {
      var waiting = accounts.acquireAsync("alice@example.com");
      Await.until("a fence", SOON, () -> !redis.operations().names().isEmpty());
      redis.operations().unfence("accounts", "a test");
      waiting.get().close();
      var stored = "" + server.command("KEYS", "*");
      assertFalse(stored.contains("alice"), stored);
      assertEquals(2, List.of(stored.split("pacegate:", -1)).size() - 1, stored);
      assertFalse(stored.contains(new KeyHash("another secret of 16").of("accounts", "alice")));
    }
  }

  @Test
  void aProcessWithAnotherSecretIsRefused() throws Exception {
    try (var redis = connect();
        var wrong =
            RedisLimiters.builder(client)
                .secret("another secret of 16")
                .whenDown(WhenDown.FAIL)
                .connect();
        var accounts = redis.keyed("accounts", LIMIT).<String>build();
        var others = wrong.keyed("accounts", LIMIT).<String>build()) {
      accounts.acquire("a").close();
      Await.until(
          "it is told",
          SOON,
          () -> {
            var refused = assertThrows(SourceUnavailableException.class, () -> others.acquire("a"));
            return ("" + refused.getMessage()).contains("another secret");
          });
    }
  }

  @Test
  void withoutASecretKeysAreRefused() {
    try (var redis = RedisLimiters.builder(client).connect()) {
      var refused = assertThrows(IllegalStateException.class, () -> redis.keyed("a", "10/1s"));
      assertTrue(("" + refused.getMessage()).contains("secret"), refused::toString);
    }
    var tooShort =
        assertThrows(
            IllegalArgumentException.class,
            () -> RedisLimiters.builder(client).secret("too short"));
    assertFalse(("" + tooShort.getMessage()).contains("too short"), tooShort::toString);
  }

  @Test
  void theLimitOfOneKeyAndThatOfAllAreChangedInAllProcesses() throws Exception {
    try (var one = fresh();
        var other = connect();
        var ones = one.keyed("accounts", "10/1s").<String>build();
        var others = other.keyed("accounts", "10/1s").<String>build()) {
      ones.acquire("a").close();
      ones.limiter("a").setLimit("20/1s");
      awaitLimit(others, "a", "20/1s");
      ones.setLimit("30/1s");
      awaitLimit(others, "b", "30/1s");
      awaitLimit(others, "a", "20/1s");
      assertEquals("30/1s", others.limit().toString());
    }
  }

  /** Whichever key is used first, the others have the limit that was given for all. */
  @Test
  void aServerThatHasForgottenAllTakesNoKeysOwnLimitForThatOfAll() throws Exception {
    try (var redis = fresh();
        var accounts = redis.keyed("accounts", "10/1s").<String>build()) {
      accounts.acquire("a").close();
      accounts.limiter("a").setLimit("20/1s");
      awaitLimit(accounts, "a", "20/1s");
      server.command("FLUSHALL");
      awaitLimit(accounts, "a", "10/1s");
      accounts.acquire("b").close();
      assertEquals("10/1s", accounts.limiter("b").limit().toString());
    }
  }

  /** What one key had of its own is known after a restart, whichever key is used first. */
  @Test
  void afterARestartAKeyWaitsForTheFenceOfItsOwnLimit() throws Exception {
    try (var durable = RedisServer.with(Version.V6_2).set("appendonly", "yes").start();
        var redis =
            Await.value(
                "a connection",
                SOON,
                RedisLimiters.builder(durable.uri()).secret(SECRET).fresh()::connect);
        var accounts = redis.keyed("accounts", LIMIT).<String>build()) {
      accounts.acquire("a").close();
      String own = "peer(10/400ms, unanswered=3s)";
      accounts.limiter("a").setLimit(own);
      awaitLimit(accounts, "a", own);
      long began = System.nanoTime();
      durable.command("CONFIG", "SET", "appendfsync", "always");
      durable.restart();
      accounts.acquire("b").close();
      long other = System.nanoTime() - began;
      accounts.acquire("a").close();
      long waited = System.nanoTime() - began;
      assertTrue(waited >= Duration.ofMillis(3_500).toNanos(), () -> waited + ", " + other);
    }
  }

  private static void awaitLimit(KeyedLimiter<String> keys, String key, String limit)
      throws Exception {
    Await.until(
        () -> key + " has " + keys.limiter(key).limit() + ", not " + limit,
        SOON,
        () -> {
          keys.acquire(key).close();
          return keys.limiter(key).limit().toString().equals(limit);
        });
  }

  @Test
  void afterTheConnectionIsClosedNoRequestWaits() throws Exception {
    var redis = connect();
    var accounts = redis.keyed("accounts", "peer(10/1s, unanswered=1h)").<String>build();
    var waiting = accounts.acquireAsync("a"); // behind a fence of an hour
    Await.until("a fence", SOON, () -> !redis.operations().names().isEmpty());
    redis.close();
    Await.until("it is refused", SOON, waiting::isCompletedExceptionally);
    accounts.close();
  }
}
