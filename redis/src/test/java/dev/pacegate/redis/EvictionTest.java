package dev.pacegate.redis;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.pacegate.limit.Limits;
import dev.pacegate.redis.rig.RedisServer;
import dev.pacegate.redis.rig.Version;
import io.lettuce.core.RedisClient;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.SetArgs;
import io.lettuce.core.api.sync.RedisCommands;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a server's statistics tell of evicted keys, also when they are reset. */
@Timeout(60)
class EvictionTest {

  private static final Terms TERMS = Terms.of(Limits.parse("10/1s"), Duration.ZERO);
  private static final Address KEY = new Address("x", "key", "secret");

  private RedisServer server;
  private RedisClient client;
  private RedisCommands<String, String> redis;

  @BeforeEach
  void start() throws Exception {
    server = RedisServer.start(Version.V6_2);
    client = RedisClient.create(server.uri());
    redis = client.connect().sync();
    for (int i = 0; i < 100; i++) {
      redis.ping(); // more commands than come after the reset
    }
  }

  @AfterEach
  void stop() throws Exception {
    client.shutdown(Duration.ZERO, Duration.ofSeconds(2));
    server.close();
  }

  @Test
  void aResetOfAServerThatDoesNotEvictCostsNoFence() {
    String epoch = call().epoch();
    redis.configResetstat();
    assertEquals(epoch, call().epoch());
    assertEquals(epoch, call().epoch());
  }

  @Test
  void aResetOfAServerWithBoundedMemoryThatDoesNotEvictCostsNoFence() {
    String epoch = call().epoch();
    redis.configSet("maxmemory", "100mb");
    redis.configResetstat();
    assertEquals(epoch, call().epoch());
  }

  /** Before the reset it may have evicted a key since the record was written. */
  @Test
  void aResetOfAServerThatEvictsCostsAFence() {
    call();
    redis.configSet("maxmemory", "100mb");
    redis.configSet("maxmemory-policy", "allkeys-lru");
    redis.configResetstat();
    assertEquals(
        "the statistics of the store were reset, and it may have evicted keys", call().reason());
  }

  @Test
  void anEvictionCostsAFenceThoughStatisticsWereResetBefore() {
    call();
    redis.configResetstat();
    evict();
    assertEquals("the store has evicted keys", call().reason());
    String epoch = call().epoch();
    redis.configSet("maxmemory-policy", "noeviction");
    redis.configResetstat();
    assertEquals(epoch, call().epoch());
  }

  private void evict() {
    redis.configSet("maxmemory-policy", "volatile-random");
    redis.set("of another program", "value", SetArgs.Builder.ex(1000));
    redis.configSet("maxmemory", "1");
    redis.configSet("maxmemory", "0");
  }

  private Reply call() {
    var request =
        new Request(1, List.of(new Request.Demand(0, 0, 0)), "", "", "", List.<Report>of());
    List<String> arguments =
        ScriptArguments.acquire("client", request, TERMS, true, false, KEY.check(), "", null);
    return new Replies(
            redis.<List<Object>>eval(
                Script.ACQUIRE.source(),
                ScriptOutputType.MULTI,
                KEY.keys().toArray(String[]::new),
                Store.withClaim(arguments)))
        .of(0, 1);
  }
}
