package dev.pacegate.redis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.limit.Limits;
import dev.pacegate.redis.Request.Demand;
import dev.pacegate.redis.rig.RedisServer;
import dev.pacegate.redis.rig.Version;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.sync.RedisCommands;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.function.ThrowingConsumer;

/** Of several entries in a call, one that fails takes no other with it. */
@Timeout(60)
class EntriesTest {

  private static final Terms TERMS = Terms.of(Limits.parse("10/1m"), Duration.ZERO);

  @Test
  void aKeyOfAnotherProgramFailsAlone() throws Exception {
    withServer(Version.V6_2, EntriesTest::failAlone);
  }

  @Test
  @Tag("servers")
  void aKeyOfAnotherProgramFailsAloneOnRedis7() throws Exception {
    withServer(Version.V7, EntriesTest::failAlone);
  }

  private static void failAlone(RedisCommands<String, String> redis) {
    Reply known = call(redis, "", "", 1, "a").of(0, 1);
    redis.set(address("b").keys().get(1), "of another program");
    redis.lpush(address("c").keys().get(1), "a list");
    Replies replies = call(redis, known.epoch(), known.revision(), 2, "a", "b", "c", "d");
    assertEquals(4, replies.size());
    assertEquals(1, units(replies.of(0, 1)));
    assertFails("is not a record of this version", replies, 1);
    assertFails("WRONGTYPE", replies, 2);
    assertEquals(1, units(replies.of(3, 1)));
    assertEquals("of another program", redis.get(address("b").keys().get(1)));
  }

  @Test
  void withoutMemoryEachKeyFailsByItself() throws Exception {
    withServer(Version.V6_2, EntriesTest::failWithoutMemory);
  }

  @Test
  @Tag("servers")
  void withoutMemoryEachKeyFailsByItselfOnRedis7() throws Exception {
    withServer(Version.V7, EntriesTest::failWithoutMemory);
  }

  /** The same requests are granted once there is memory, and nothing was kept of them before. */
  private static void failWithoutMemory(RedisCommands<String, String> redis) {
    Reply known = call(redis, "", "", 1, "a").of(0, 1);
    redis.configSet("maxmemory-policy", "noeviction");
    redis.configSet("maxmemory", "1");
    Replies replies = call(redis, known.epoch(), known.revision(), 2, "a", "b");
    assertFails("maxmemory", replies, 0);
    assertFails("maxmemory", replies, 1);
    redis.configSet("maxmemory", "0");
    Replies again = call(redis, known.epoch(), known.revision(), 2, "a", "b");
    assertEquals(1, units(again.of(0, 1)));
    assertEquals(1, units(again.of(1, 1)));
    assertEquals(known.epoch(), again.of(1, 1).epoch());
  }

  private static void assertFails(String words, Replies replies, int entry) {
    var failure = assertThrows(RedisCommandExecutionException.class, () -> replies.of(entry, 1));
    assertTrue(Causes.ofCall(failure).contains(words), () -> Causes.ofCall(failure));
  }

  private static long units(Reply reply) {
    return reply.grants().stream().mapToLong(grant -> grant.units().get(0)).sum();
  }

  private static Address address(String key) {
    return new Address("x", key, "a check");
  }

  private static Replies call(
      RedisCommands<String, String> redis,
      String epoch,
      String revision,
      long number,
      String... keys) {
    List<String> arguments = ScriptArguments.common(TERMS, true, false, "a check", "");
    var named = new ArrayList<>(List.of(address("").keys().get(0)));
    for (String key : keys) {
      named.add(address(key).keys().get(1));
      var request =
          new Request(number, List.of(new Demand(1, 1, 0)), epoch, "", revision, List.of());
      arguments.addAll(ScriptArguments.entry("client", request, null));
    }
    return new Replies(
        redis.<List<Object>>eval(
            Script.ACQUIRE.source(),
            ScriptOutputType.MULTI,
            named.toArray(String[]::new),
            Store.withClaim(arguments)));
  }

  private static void withServer(
      Version version, ThrowingConsumer<RedisCommands<String, String>> test) throws Exception {
    try (var server = RedisServer.start(version)) {
      RedisClient client = RedisClient.create(server.uri());
      try (var connection = client.connect()) {
        test.accept(connection.sync());
      } catch (Throwable e) {
        throw new AssertionError(e.getMessage(), e);
      } finally {
        client.shutdown(Duration.ZERO, Duration.ofSeconds(2));
      }
    }
  }
}
