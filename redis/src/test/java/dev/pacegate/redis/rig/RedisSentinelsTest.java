package dev.pacegate.redis.rig;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;

import io.lettuce.core.RedisClient;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;

/** What happens to {@link RedisSentinels}. All tests use the same, and leave them as they were. */
@Timeout(180)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class RedisSentinelsTest {

  private RedisSentinels sentinels;

  @BeforeAll
  void start() throws Exception {
    sentinels = RedisSentinels.start(Version.V7);
  }

  @AfterAll
  void close() throws Exception {
    if (sentinels != null) {
      sentinels.close();
    }
  }

  private void set(String value) {
    try (var client = RedisClient.create(sentinels.uri())) {
      client.connect().sync().set("key", value);
    }
  }

  private @Nullable Object get() throws Exception {
    return sentinels.primary().server().command("GET", "key");
  }

  @Test
  @Tag("servers")
  void aKilledPrimaryIsReplaced() throws Exception {
    RedisNode primary = kill("killed");
    primary.restart();
  }

  private RedisNode kill(String value) throws Exception {
    var primary = sentinels.primary();
    set(value);
    sentinels.awaitHealthy();
    primary.kill9();
    sentinels.awaitReplaced(primary);
    assertNotSame(primary, sentinels.primary());
    assertEquals(value, get());
    return primary;
  }

  @Test
  @Tag("heavy")
  void aKilledPrimaryComesBack() throws Exception {
    RedisNode primary = kill("first");
    set("second");
    primary.restart();
    failBack();
    assertEquals("second", get());
  }

  private void failBack() throws Exception {
    sentinels.failBack();
    assertSame(sentinels.nodes().get(0), sentinels.primary());
  }

  @Test
  @Tag("heavy")
  void aPrimaryThatStandsStillIsReplaced() throws Exception {
    var primary = sentinels.primary();
    primary.stop();
    sentinels.awaitReplaced(primary);
    assertNotSame(primary, sentinels.primary());
    set("later");
    primary.cont();
    failBack();
    assertEquals("later", get());
  }

  @Test
  @Tag("heavy")
  void aPrimaryThatIsCutOffIsReplacedAndStillReached() throws Exception {
    var primary = sentinels.primary();
    set("before");
    sentinels.awaitHealthy();
    try (var client = RedisClient.create(primary.uri())) {
      var direct = client.connect().sync();
      sentinels.cutOff(primary);
      sentinels.awaitReplaced(primary);
      direct.set("key", "alone");
      assertEquals("before", get());
      sentinels.heal();
      failBack();
      assertEquals("before", direct.get("key"));
    }
  }
}
