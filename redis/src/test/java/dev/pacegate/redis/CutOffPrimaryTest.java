package dev.pacegate.redis;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.audit.Audit;
import dev.pacegate.limit.Limits;
import dev.pacegate.redis.rig.Await;
import dev.pacegate.redis.rig.RedisNode;
import dev.pacegate.redis.rig.RedisSentinels;
import dev.pacegate.redis.rig.Version;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A primary that is cut off from all other servers is not told that it was replaced. */
@Timeout(300)
class CutOffPrimaryTest {

  private static final String LIMIT = "100/1s";
  private static final Duration SOON = Duration.ofSeconds(60);

  @Test
  @Tag("servers")
  void aPrimaryThatLostItsReplicasIsLeftForTheOneThatSentinelNames() throws Exception {
    Queue<Long> starts = new ConcurrentLinkedQueue<>();
    try (var servers = RedisSentinels.start(Version.V7);
        var one = new Program(servers.uri(), LIMIT, starts);
        var other = new Program(servers.uri(), LIMIT, starts)) {
      one.begin();
      other.begin();
      awaitMore(one);
      awaitMore(other);
      RedisNode former = servers.primary();
      servers.cutOff(former);
      servers.awaitReplaced(former);
      awaitMore(one);
      awaitMore(other);
    }
    var audit = Audit.of(Limits.parse(LIMIT));
    starts.stream().sorted(Long::compare).forEach(audit::add);
    assertTrue(audit.verdict().kept(), () -> audit.verdict().text());
  }

  private static void awaitMore(Program program) throws InterruptedException {
    long enough = program.count() + 100; // more than it can have in hand
    Await.until("it sends more", SOON, () -> program.count() >= enough);
  }
}
