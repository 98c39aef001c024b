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
@Tag("servers")
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
  void aKilledPrimaryIsReplacedAndComesBack() throws Exception {
    var primary = sentinels.primary();
    assertSame(sentinels.nodes().get(0), primary);
    set("first");
    sentinels.awaitHealthy();
    primary.kill9();
    sentinels.awaitReplaced(primary);
    assertEquals("first", get());
    set("second");
    primary.restart();
    sentinels.failBack();
    assertSame(primary, sentinels.primary());
    assertEquals("second", get());
  }

  @Test
  void aPrimaryThatStandsStillIsReplaced() throws Exception {
    var primary = sentinels.primary();
    primary.stop();
    sentinels.awaitReplaced(primary);
    assertNotSame(primary, sentinels.primary());
    set("later");
    primary.cont();
    sentinels.failBack();
    assertSame(primary, sentinels.primary());
    assertEquals("later", get());
  }

  @Test
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
      sentinels.failBack();
      assertEquals("before", direct.get("key"));
    }
  }
}
