package dev.pacegate.redis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.KeyedLimiter;
import dev.pacegate.Limiter;
import dev.pacegate.SourceUnavailableException;
import dev.pacegate.limit.Limit;
import dev.pacegate.limit.Limits;
import dev.pacegate.redis.SharedLimitStatus.Tag;
import dev.pacegate.redis.rig.Await;
import dev.pacegate.redis.rig.RedisServer;
import dev.pacegate.redis.rig.Version;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisException;
import io.lettuce.core.ScriptOutputType;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Keys that are spread over tags, on a real server. */
@Timeout(120)
@org.junit.jupiter.api.Tag("servers")
class SpreadTest {

  private static final String SECRET = "a secret of all nodes";
  private static final String NAME = "accounts";
  private static final Duration SOON = Duration.ofSeconds(60);
  private static final String LIMIT = "peer(10/1h, unanswered=1s)"; // a fence outlasts the test
  private static final int COUNT = 4;
  private static final Tags TAGS = new Tags(NAME, COUNT);
  private static final KeyHash HASH = new KeyHash(SECRET);

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

  private static RedisLimiters.Builder builder() {
    return RedisLimiters.builder(client).secret(SECRET);
  }

  private static KeyedLimiter<String> keyed(RedisLimiters redis, int count) {
    return count == 0
        ? redis.keyed(NAME, LIMIT).build()
        : redis.spread(count).keyed(NAME, LIMIT).build();
  }

  /** Returns a key of a tag, of those that have not been used. */
  private static String key(int tag, String used) {
    return IntStream.range(0, 10_000)
        .mapToObj(i -> used + i)
        .filter(key -> TAGS.of(HASH.of(NAME, key)) == tag)
        .findFirst()
        .orElseThrow();
  }

  /** Begins all tags, without a fence, as if they had been used for long. */
  private static void begin(int count) throws Exception {
    try (var redis = builder().fresh().connect();
        var keys = keyed(redis, count)) {
      for (int tag = 0; tag < COUNT; tag++) {
        keys.acquire(key(tag, "")).answered();
      }
    }
  }

  private static List<Tag> tags(RedisLimiters redis) {
    return redis.operations().status(NAME).orElseThrow().tags();
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 3})
  void aTagThatLosesItsRecordHasAFenceOfItsKeysAlone(int lost) throws Exception {
    begin(COUNT);
    server.command("DEL", TAGS.record(lost));
    try (var log = new LoggedLines();
        var redis = builder().connect();
        var keys = keyed(redis, COUNT)) {
      var waiting = keys.acquireAsync(key(lost, "new"));
      Await.until("a fence", SOON, () -> !tags(redis).get(lost).fence().isZero());
      for (int tag = 0; tag < COUNT; tag++) {
        if (tag != lost) {
          keys.acquire(key(tag, "")).answered();
          keys.acquire(key(tag, "new")).answered();
          assertEquals(Duration.ZERO, tags(redis).get(tag).fence());
        }
      }
      assertFalse(waiting.isDone());
      Await.until("the log tells", SOON, () -> log.with("a part of the keys").size() == 1);
      redis.operations().unfence(NAME, "a test");
      keys.acquire(key(lost, "later")).answered(); // asks at once
      if (lost == 0) {
        waiting.get(60, TimeUnit.SECONDS).answered(); // those that wait ask once in five seconds
      }
    }
  }

  /** All tags begin their fences: that is one line. */
  @Test
  void aNameThatIsNewIsToldOnce() throws Exception {
    try (var log = new LoggedLines();
        var redis = builder().connect();
        var keys = keyed(redis, COUNT)) {
      for (int tag = 0; tag < COUNT; tag++) {
        var unused = keys.acquireAsync(key(tag, ""));
      }
      Await.until(
          "all have a fence",
          SOON,
          () -> tags(redis).stream().noneMatch(tag -> tag.fence().isZero()));
      assertEquals(List.of(NAME), redis.operations().names());
      assertEquals(1, log.with("no permits are granted").size(), () -> "" + log.with(""));
    }
  }

  /** 0 stands for a limit whose keys are not spread. */
  @ParameterizedTest
  @CsvSource({
    "4, 3, -1", "4, 8, -1", "4, 0, -1", "0, 4, -1", "4, 3, 0", "4, 8, 0", "4, 0, 0", "4, 3, 1",
    "4, 8, 1", "4, 0, 1", "4, 8, 2", "4, 0, 3", "8, 4, 0", "8, 4, 1", "2, 1024, 0", "2, 1, 0"
  })
  void aProcessWithAnotherNumberServesNoKey(int first, int second, int lost) throws Exception {
    begin(first);
    if (lost >= 0) {
      server.command("DEL", TAGS.record(lost));
    }
    Set<Object> stored = records();
    try (var redis = builder().fresh().whenDown(WhenDown.FAIL).connect();
        var keys = keyed(redis, second)) {
      for (int i = 0; i < 20; i++) {
        String key = "key" + i;
        var refused = assertThrows(SourceUnavailableException.class, () -> keys.acquire(key));
        String words =
            "this process spreads the keys over "
                + Math.max(1, second)
                + " tags, and earlier processes over "
                + Math.max(1, first);
        assertTrue(("" + refused.getMessage()).contains(words), refused::toString);
      }
      assertEquals(stored, records());
    }
    try (var redis = builder().connect();
        var keys = keyed(redis, first)) {
      keys.acquire(key(lost == 1 ? 2 : 1, "")).answered(); // which has lost nothing
    }
  }

  private static Set<Object> records() throws Exception {
    return Set.copyOf((List<?>) server.command("KEYS", "pacegate:{*}"));
  }

  /** The whole store is lost, and another number comes first: a process that goes on is refused. */
  @Test
  void aProcessThatGoesOnAfterALossIsRefusedWhereAnotherNumberCameFirst() throws Exception {
    try (var earlier = builder().fresh().whenDown(WhenDown.FAIL).connect();
        var later = builder().fresh().connect();
        var four = keyed(earlier, 4);
        var two = keyed(later, 2)) {
      for (int tag = 0; tag < COUNT; tag++) {
        four.acquire(key(tag, "")).answered();
      }
      server.command("FLUSHALL");
      two.acquire("a").answered();
      Await.until("3 is refused", SOON, () -> isRefused(four, key(3, "another")));
      Await.until("2 is refused", SOON, () -> isRefused(four, key(2, "")));
    }
  }

  /** Though it has served no key before, and the first tag's record is lost. */
  @ParameterizedTest
  @ValueSource(ints = {0, 3, 8})
  void aChangeByAProcessWithAnotherNumberWritesNothing(int other) throws Exception {
    begin(COUNT);
    server.command("DEL", TAGS.record(0));
    Set<Object> stored = records();
    try (var log = new LoggedLines();
        var redis = builder().connect();
        var keys = keyed(redis, other)) {
      keys.setLimit("5/1h");
      Await.until(
          "it is refused", SOON, () -> !log.with("this process spreads the keys over").isEmpty());
      assertEquals(stored, records());
      assertEquals(List.of(LIMIT), limits(redis));
      assertEquals(LIMIT, keys.limit().toString());
    }
  }

  private static boolean isRefused(KeyedLimiter<String> keys, String key) throws Exception {
    try {
      keys.acquire(key).answered();
      return false;
    } catch (SourceUnavailableException e) {
      return ("" + e.getMessage()).contains("spreads the keys");
    }
  }

  /** As earlier versions call, which know of no tags. */
  @Test
  void anEarlierVersionIsRefusedByARecordOfSpreadKeysAndItsOwnIsThatOfOneTag() throws Exception {
    begin(COUNT);
    Address address = new Address(NAME, HASH.of(NAME, "a"), HASH.check(NAME));
    assertThrows(RedisCommandExecutionException.class, () -> acquire(address));
    server.command("FLUSHALL");
    acquire(address);
    try (var redis = builder().whenDown(WhenDown.FAIL).connect();
        var spread = redis.spread(COUNT).keyed(NAME, LIMIT).<String>build();
        var one = redis.spread(1).keyed(NAME, LIMIT).<String>build()) {
      Await.until("it is refused", SOON, () -> isRefused(spread, "a"));
      var unused = one.acquireAsync("a");
      Await.until(
          "a fence", SOON, () -> one.all().snapshot().unavailable().orElse("").contains("granted"));
    }
  }

  private static void acquire(Address address) {
    Terms terms = Terms.of(Limits.parse(LIMIT), null);
    var request = new Request(1, List.of(), "", "", "", List.of());
    List<String> arguments =
        ScriptArguments.acquire("client", request, terms, false, false, address.check(), "", null);
    try (var connection = client.connect()) {
      connection
          .sync()
          .eval(
              Script.ACQUIRE.source(),
              ScriptOutputType.MULTI,
              address.keys().toArray(String[]::new),
              Store.withClaim(arguments));
    }
  }

  @Test
  void aChangeReachesTheKeysOfAllTagsInAllProcesses() throws Exception {
    begin(COUNT);
    try (var one = builder().connect();
        var other = builder().connect();
        var ones = keyed(one, COUNT);
        var others = keyed(other, COUNT)) {
      useAll(ones);
      useAll(others);
      ones.setLimit("peer(20/1h, unanswered=1s)");
      awaitLimit(one, others, "peer(20/1h, unanswered=1s)");
      one.operations().setLimit(NAME, Limits.parse("peer(30/1h, unanswered=1s)"), "more");
      assertEquals(1, one.operations().status(NAME).orElseThrow().audit().size() - 1);
      awaitLimit(one, ones, "peer(30/1h, unanswered=1s)");
      awaitLimit(one, others, "peer(30/1h, unanswered=1s)");
    }
  }

  /** So it is what this process tells a record that begins: of all, of the second tag, or none. */
  @ParameterizedTest
  @CsvSource({"0, 4", "1, 2", "0, 0"})
  void aChangeBeforeAnyKeyIsUsedReachesAllTags(int firstLost, int end) throws Exception {
    begin(COUNT);
    for (int tag = firstLost; tag < end; tag++) {
      server.command("DEL", TAGS.record(tag));
    }
    try (var redis = builder().connect();
        var keys = keyed(redis, COUNT)) {
      keys.setLimit("5/1h");
      Await.until("the process has it", SOON, () -> keys.limit().toString().equals("5/1h"));
      Await.until("all have it", SOON, () -> limits(redis).equals(List.of("5/1h")));
      Await.until(
          "all have a record",
          SOON,
          () -> tags(redis).stream().allMatch(tag -> tag.doubt().isEmpty()));
    }
  }

  /** The process that makes a change dies after the first tag: another one ends it. */
  @Test
  void aChangeOfTheFirstTagAloneIsEndedByAnyProcessThatMeetsAnotherTag() throws Exception {
    begin(COUNT);
    try (var redis = builder().connect();
        var keys = keyed(redis, COUNT)) {
      useAll(keys);
      try (var of = builder().connect()) {
        for (int tag = 1; tag < COUNT; tag++) {
          hide(tag);
        }
        var failed =
            assertThrows(
                RedisException.class,
                () -> of.operations().setLimit(NAME, Limits.parse("5/1h"), "less"));
        String words = "it is done for 1 of 4 tags, and not for 1-3: ";
        assertTrue(("" + failed.getMessage()).startsWith(words), failed::toString);
        for (int tag = 1; tag < COUNT; tag++) {
          show(tag);
        }
      }
      awaitLimit(redis, keys, "5/1h");
    }
  }

  /** A change has reached the first tag alone, and that is away: its node is needed for no key. */
  @Test
  void theKeysOfATagThatIsBehindGoOnWhileTheFirstTagIsAway() throws Exception {
    begin(COUNT);
    try (var redis = builder().connect();
        var of = builder().connect();
        var keys = keyed(redis, COUNT)) {
      for (int tag = 0; tag < COUNT; tag++) {
        keys.acquire(key(tag, "")).answered();
      }
      for (int tag = 1; tag < COUNT; tag++) {
        hide(tag);
      }
      Limit next = Limits.parse("5/1h");
      assertThrows(RedisException.class, () -> of.operations().setLimit(NAME, next, "less"));
      Limiter first = keys.limiter(key(0, ""));
      Await.until("the change is known", SOON, () -> first.limit().equals(next) || use(first));
      hide(0);
      for (int tag = 1; tag < COUNT; tag++) {
        show(tag);
        keys.acquire(key(tag, "")).answered();
        keys.acquire(key(tag, "new")).answered();
        assertEquals(LIMIT, keys.limiter(key(tag, "")).limit().toString());
      }
      show(0);
      awaitLimit(redis, keys, "5/1h");
      for (int tag = 1; tag < COUNT; tag++) {
        Limiter unused = keys.limiter(key(tag, "new"));
        Await.until("of a key that is not used", SOON, () -> unused.limit().equals(next));
      }
    }
  }

  private static boolean use(Limiter key) {
    key.tryAcquire().ifPresent(permit -> permit.notSent());
    return false;
  }

  /** Two processes change at once, again and again: all tags agree in the end. */
  @Test
  void changesAtOnceLeaveNoTagApart() throws Exception {
    begin(COUNT);
    try (var one = builder().connect();
        var other = builder().connect();
        var ones = keyed(one, COUNT);
        var others = keyed(other, COUNT)) {
      for (int i = 0; i < 10; i++) {
        useAll(ones);
        useAll(others);
        ones.setLimit("peer(" + (100 + i) + "/1h, unanswered=1s)");
        others.setLimit("peer(" + (200 + i) + "/1h, unanswered=1s)");
      }
      Await.until(
          () -> "one limit: " + limits(one) + ones.limit() + others.limit(),
          SOON,
          () -> {
            useAll(ones);
            useAll(others);
            List<String> limits = limits(one);
            return limits.size() == 1
                && limits.get(0).equals(ones.limit().toString())
                && limits.get(0).equals(others.limit().toString());
          });
    }
  }

  /** From now on it fails at a tag. */
  private static void hide(int tag) throws Exception {
    server.command("RENAME", TAGS.record(tag), "away" + tag);
    server.command("SET", TAGS.record(tag), "something else");
  }

  private static void show(int tag) throws Exception {
    server.command("RENAME", "away" + tag, TAGS.record(tag));
  }

  private static List<String> limits(RedisLimiters redis) {
    return tags(redis).stream().map(Tag::limit).distinct().toList();
  }

  private static void useAll(KeyedLimiter<String> keys) {
    for (int tag = 0; tag < COUNT; tag++) {
      keys.tryAcquire(key(tag, "")).ifPresent(permit -> permit.notSent());
    }
  }

  private static void awaitLimit(RedisLimiters redis, KeyedLimiter<String> keys, String limit)
      throws Exception {
    for (int tag = 0; tag < COUNT; tag++) {
      Limiter key = keys.limiter(key(tag, ""));
      int number = tag;
      Await.until(
          () -> "the limit of " + number + ": " + key.limit() + limits(redis),
          SOON,
          () -> {
            key.tryAcquire().ifPresent(permit -> permit.notSent());
            return key.limit().toString().equals(limit)
                && tags(redis).get(number).limit().equals(limit);
          });
    }
    assertEquals(limit, keys.limit().toString());
  }

  /** One tag fails in between: that is said, and repeating it does the rest. */
  @ParameterizedTest
  @ValueSource(strings = {"pause", "resume", "unfence", "set"})
  void anOperationOnAllTagsIsRepeatedAfterAFault(String what) throws Exception {
    begin(COUNT);
    try (var redis = builder().connect()) {
      Operations operations = redis.operations();
      operations.pause(NAME, Duration.ofHours(1), "earlier");
      assertTrue(tags(redis).stream().allMatch(tag -> !tag.pause().isZero()));
      hide(2);
      var failed = assertThrows(RedisException.class, () -> carryOut(operations, what));
      String words = "it is done for 3 of 4 tags, and not for 2: ";
      assertTrue(("" + failed.getMessage()).startsWith(words), failed::toString);
      assertTrue(tags(redis).get(2).doubt().contains("cannot be looked at"));
      assertEquals(what.equals("resume"), tags(redis).get(3).pause().isZero());
      assertEquals(what.equals("set") ? "5/1h" : LIMIT, tags(redis).get(3).limit());
      show(2);
      carryOut(operations, what);
      for (Tag tag : tags(redis)) {
        assertEquals(what.equals("resume"), tag.pause().isZero(), tag::toString);
        assertEquals(what.equals("set") ? "5/1h" : LIMIT, tag.limit());
      }
    }
  }

  private static void carryOut(Operations operations, String what) {
    switch (what) {
      case "pause" -> operations.pause(NAME, Duration.ofHours(2), "why");
      case "resume" -> operations.resume(NAME, "why");
      case "unfence" -> operations.unfence(NAME, "why");
      default -> operations.setLimit(NAME, Limits.parse("5/1h"), "why");
    }
  }

  /** A part of the keys of which the store knows nothing is paused too. */
  @Test
  void aTagWithoutARecordIsPausedAndUnfencedToo() throws Exception {
    begin(COUNT);
    server.command("DEL", TAGS.record(0), TAGS.record(3));
    try (var redis = builder().connect();
        var keys = keyed(redis, COUNT)) {
      redis.operations().pause(NAME, Duration.ofHours(1), "why");
      assertTrue(tags(redis).stream().noneMatch(tag -> tag.pause().isZero()));
      redis.operations().unfence(NAME, "a test");
      redis.operations().resume(NAME, "why");
      for (int tag = 0; tag < COUNT; tag++) {
        keys.acquire(key(tag, "")).answered();
      }
    }
  }

  @Test
  void aNumberOutOfRangeIsRefusedAtOnce() {
    try (var redis = builder().connect()) {
      var refused = assertThrows(IllegalArgumentException.class, () -> redis.spread(0));
      assertEquals("keys are spread over 1 to 1024 tags, not over 0", refused.getMessage());
    }
  }

  /** A limit that has no keys has nothing to be spread. */
  @Test
  void aRequestWithinALimitForAllCountsThereOnce() throws Exception {
    try (var redis = builder().fresh().connect()) {
      Limiter all = redis.limiter("all", "peer(6/1h, unanswered=1s)");
      try (KeyedLimiter<String> keys =
          redis.spread(COUNT).keyed(NAME, LIMIT).within(all).<String>build()) {
        for (int i = 0; i < 6; i++) {
          keys.acquire("key" + i).answered();
        }
        assertEquals(6, redis.operations().status("all").orElseThrow().terms().get(0).spent());
        assertTrue(keys.tryAcquire("another").isEmpty());
      }
    }
  }
}
