package dev.pacegate.redis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.Limiter;
import dev.pacegate.Permit;
import dev.pacegate.limit.Limits;
import dev.pacegate.redis.rig.Await;
import dev.pacegate.redis.rig.RedisServer;
import dev.pacegate.redis.rig.Version;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisException;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.sync.RedisCommands;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What people see of shared limits, and do with them. */
@Timeout(120)
class OperationsTest {

  private static final Duration SOON = Duration.ofSeconds(60);

  private static RedisServer server;

  // The limiters' own client gives up a server that a stalled machine keeps silent for a second.
  private static RedisClient client;
  private RedisLimiters redis;
  private Operations operations;

  @BeforeAll
  static void start() throws Exception {
    server = RedisServer.start(Version.V6_2);
    client = RedisClient.create(server.uri());
  }

  @AfterAll
  static void stop() throws Exception {
    client.shutdown(Duration.ZERO, Duration.ofSeconds(2));
    server.close();
  }

  @BeforeEach
  void connect() throws Exception {
    server.command("FLUSHALL");
    redis = RedisLimiters.builder(client).fresh().label("sender").connect();
    operations = redis.operations();
  }

  @AfterEach
  void close() {
    redis.close();
  }

  private SharedLimitStatus status() {
    return operations.status("api").orElseThrow();
  }

  @Test
  void theStatusTellsLimitSpentUnitsAndHolders() throws Exception {
    Limiter api = redis.limiter("api", "peer(10/10s, unanswered=1s) & concurrent(3)");
    Permit one = api.acquire();
    Permit two = api.acquire();
    SharedLimitStatus status = status();
    assertEquals("peer(10/10s, unanswered=1s) & concurrent(3)", status.limit());
    assertEquals(List.of("peer(10/10s, unanswered=1s)", "concurrent(3)"), texts(status));
    assertEquals(List.of(10L, 3L), status.terms().stream().map(each -> each.permits()).toList());
    assertTrue(status.terms().stream().allMatch(each -> each.spent() >= 2), status::toString);
    assertTrue(status.terms().stream().allMatch(each -> each.most() >= 2), status::toString);
    assertEquals("sender", status.holders().get(0).label());
    assertTrue(status.holders().get(0).has().get(0) >= 2, status::toString);
    assertEquals(Duration.ZERO, status.fence());
    assertEquals("", status.doubt());
    assertEquals(List.of("api"), operations.names());
    one.close();
    two.close();
  }

  private static List<String> texts(SharedLimitStatus status) {
    return status.terms().stream().map(SharedLimitStatus.Term::text).toList();
  }

  @Test
  void theStatusTellsWhichHolderWaits() throws Exception {
    Limiter api = redis.limiter("api", "concurrent(2)");
    try (Permit one = api.acquire();
        Permit two = api.acquire()) {
      var third = api.acquireAsync();
      Await.until(
          () -> "a holder that waits: " + status(),
          SOON,
          () -> status().holders().stream().anyMatch(each -> each.wants().get(0) > 0));
      one.answered();
      two.answered();
      third.get().close();
    }
  }

  @Test
  void aLimitThatStatesThatItCountsStartsIsSharedAsTheOneInside() throws Exception {
    Limiter api = redis.limiter("api", "starts(10/1h)");
    assertEquals("10/1h", api.limit().toString()); // as it is once the server has answered
    api.acquire().close();
    operations.setLimit("api", Limits.parse("starts(20/1h)"), "larger plan");
    assertEquals("20/1h", status().limit());
  }

  @Test
  void aPauseHoldsAllAndIsOverWhenItIsSaid() throws Exception {
    Limiter api = redis.limiter("api", "10/100ms");
    api.acquire().close();
    operations.pause("api", Duration.ofHours(1), "maintenance");
    Await.until("no permit is left", SOON, () -> api.tryAcquire().isEmpty());
    Await.until(
        () -> "the reason: " + api.snapshot().unavailable(),
        SOON,
        () -> {
          api.tryAcquire();
          return api.snapshot().unavailable().orElse("").contains("maintenance");
        });
    assertTrue(status().pause().toMinutes() >= 59, () -> "" + status());
    assertEquals("maintenance", status().why());
    operations.resume("api", "done");
    api.acquire().close();
    assertEquals(Duration.ZERO, status().pause());
    assertEquals(
        List.of("pause: maintenance", "resume: done"),
        status().audit().stream().map(each -> each.what() + ": " + each.why()).toList());
    assertEquals("sender", status().audit().get(0).who());
  }

  @Test
  void aFenceIsEndedForAReasonOnly() throws Exception {
    try (var careful = RedisLimiters.builder(client).connect()) {
      Limiter api = careful.limiter("other", "peer(10/1s, unanswered=1h)");
      Await.until("a fence", SOON, () -> api.tryAcquire().isEmpty() && isFenced("other"));
      assertThrows(IllegalArgumentException.class, () -> operations.unfence("other", " "));
      operations.unfence("other", "nothing was sent");
      api.acquire().close();
      SharedLimitStatus status = operations.status("other").orElseThrow();
      assertEquals(Duration.ZERO, status.fence());
      assertEquals("unfence", status.audit().get(0).what());
    }
  }

  @Test
  void aFenceThatIsOverIsNotEndedAnotherTime() throws Exception {
    try (var sender = RedisLimiters.builder(client).fresh().connect()) {
      Limiter api = sender.limiter("api", "bucket(3/1h, burst=3)");
      for (int i = 0; i < 3; i++) {
        api.acquire().close();
      }
    }
    Await.until("no lease is left", SOON, () -> status().holders().isEmpty());
    operations.unfence("api", "nothing was sent");
    assertEquals(3, status().terms().get(0).spent());
  }

  /** A person ends the fence that was seen: a server that took over since has one of its own. */
  @Test
  void aFenceThatBeganAfterTheLookIsNotEnded() throws Exception {
    try (var sender = RedisLimiters.builder(client).fresh().connect()) {
      sender.limiter("api", "peer(10/1s, unanswered=1h)").acquire().close();
    }
    try (var connection = client.connect();
        var careful = RedisLimiters.builder(client).connect()) {
      KnownLimit seen = KnownLimit.of("api", scripts(connection.sync()), SETTINGS).orElseThrow();
      server.command("FLUSHALL");
      Limiter api = careful.limiter("api", "peer(10/1s, unanswered=1h)");
      Await.until("a fence", SOON, () -> api.tryAcquire().isEmpty() && isFenced("api"));
      RedisException refused =
          assertThrows(RedisException.class, () -> seen.unfence("nothing was sent"));
      assertTrue(("" + refused.getMessage()).contains("another fence has begun"), "" + refused);
      assertTrue(isFenced("api"));
    }
  }

  private static final Settings SETTINGS =
      new Settings(WhenDown.WAIT, null, false, null, "a person");

  private static KnownLimit.Scripts scripts(RedisCommands<String, String> redis) {
    return new KnownLimit.Scripts() {
      @Override
      public List<String> status(Address address) {
        return run(Script.STATUS, address).stream().map(Object::toString).toList();
      }

      @Override
      public Replies carryOut(Script script, Address address, List<String> arguments) {
        return new Replies(run(script, address, Store.withClaim(arguments)));
      }

      private List<Object> run(Script script, Address address, String... arguments) {
        String[] keys = address.keys().toArray(String[]::new);
        return redis.eval(script.source(), ScriptOutputType.MULTI, keys, arguments);
      }
    };
  }

  private boolean isFenced(String name) {
    return operations.status(name).filter(each -> !each.fence().isZero()).isPresent();
  }

  @Test
  void aBucketIsFullAfterAFenceThatWasEnded() throws Exception {
    try (var careful = RedisLimiters.builder(client).connect()) {
      Limiter api = careful.limiter("other", "peer(bucket(1/1h, burst=4), unanswered=1h)");
      Await.until("a fence", SOON, () -> api.tryAcquire().isEmpty() && isFenced("other"));
      operations.unfence("other", "nothing was sent");
      for (int i = 0; i < 4; i++) {
        api.acquire().close();
      }
    }
  }

  @Test
  void anotherLimitIsInForceInAllProcesses() throws Exception {
    Limiter api = redis.limiter("api", "10/100ms");
    api.acquire().close();
    operations.setLimit(
        "api", Limits.parse("20/100ms & concurrent(5, unanswered=100ms)"), "a larger plan");
    Await.until(
        () -> "the limit: " + api.limit(),
        SOON,
        () -> {
          api.acquire().close();
          return api.limit().toString().equals("20/100ms & concurrent(5, unanswered=100ms)");
        });
    assertEquals("set 20/100ms & concurrent(5, unanswered=100ms)", status().audit().get(0).what());
  }

  @Test
  void aNameThatTheStoreDoesNotKnowIsRefused() {
    assertEquals(List.of(), operations.names());
    assertTrue(operations.status("api").isEmpty());
    var refused =
        assertThrows(
            IllegalArgumentException.class,
            () -> operations.pause("api", Duration.ofSeconds(1), ""));
    assertTrue(
        ("" + refused.getMessage()).contains("does not know the name api"), refused::toString);
  }

  /** After a loss that key waits for so long, and after an eviction all. */
  @Test
  void theFenceThatIsToldIsThatOfTheLongestLimitOfAKey() throws Exception {
    try (var keyed =
            RedisLimiters.builder(client).fresh().secret("a secret of all nodes").connect();
        var accounts = keyed.keyed("accounts", "10/100ms").<String>build()) {
      accounts.acquire("a").close();
      assertEquals(fence("10/100ms"), longestFence(keyed));
      accounts.limiter("a").setLimit("10/20s");
      Await.until("it is told", SOON, () -> longestFence(keyed).equals(fence("10/20s")));
    }
  }

  private static Duration fence(String limit) {
    return Duration.of(Terms.of(Limits.parse(limit), null).fence(), ChronoUnit.MICROS);
  }

  private static Duration longestFence(RedisLimiters redis) {
    return redis.operations().status("accounts").orElseThrow().longestFence();
  }

  @Test
  void aLimitOfKeysIsPausedForAllKeys() throws Exception {
    try (var keyed =
            RedisLimiters.builder(client).fresh().secret("a secret of all nodes").connect();
        var accounts = keyed.keyed("accounts", "10/100ms").<String>build()) {
      accounts.acquire("a").close();
      assertTrue(keyed.operations().status("accounts").orElseThrow().hasKeys());
      assertThrows(
          IllegalArgumentException.class,
          () -> operations.pause("accounts", Duration.ofSeconds(1), ""));
      keyed.operations().pause("accounts", Duration.ofHours(1), "maintenance");
      Await.until("no permit of a new key", SOON, () -> accounts.tryAcquire("b").isEmpty());
      keyed.operations().resume("accounts", "");
      accounts.acquire("c").close();
    }
  }

  /** As a later version may have written it. */
  @Test
  void aTagWhoseLimitCannotBeReadKeepsNoOtherFromAChange() throws Exception {
    var tags = new Tags("spread", 3);
    try (var other =
            RedisLimiters.builder(client).fresh().secret("a secret of all nodes").connect();
        var keys = other.spread(tags.count()).keyed("spread", "10/1h").<Integer>build()) {
      Await.until(
          "all tags have a record",
          SOON,
          () -> {
            for (int key = 0; key < 20; key++) {
              keys.acquireAsync(key).thenAccept(Permit::answered).join();
            }
            return limits(other).size() == tags.count();
          });
      server.command(
          "EVAL",
          "local record = cmsgpack.unpack(redis.call('GET', KEYS[1])) record.law.text = 'later(1)'"
              + " return redis.call('SET', KEYS[1], cmsgpack.pack(record))",
          "1",
          tags.record(1));
      var failed =
          assertThrows(
              RedisException.class,
              () -> other.operations().setLimit("spread", Limits.parse("5/1h"), "less"));
      String words = "it is done for 2 of 3 tags, and not for 1: ";
      assertTrue(("" + failed.getMessage()).startsWith(words), failed::toString);
      assertEquals(List.of("5/1h"), limits(other).stream().distinct().toList());
      String doubt = other.operations().status("spread").orElseThrow().tags().get(1).doubt();
      assertTrue(doubt.contains("cannot use"), doubt);
    }
  }

  private static List<String> limits(RedisLimiters of) {
    return of.operations().status("spread").orElseThrow().tags().stream()
        .map(SharedLimitStatus.Tag::limit)
        .filter(limit -> !limit.isEmpty())
        .toList();
  }
}
