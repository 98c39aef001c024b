package dev.pacegate.redis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.audit.Audit;
import dev.pacegate.limit.Limits;
import dev.pacegate.redis.rig.Await;
import dev.pacegate.redis.rig.CutProxy;
import dev.pacegate.redis.rig.RedisNode;
import dev.pacegate.redis.rig.RedisSentinels;
import dev.pacegate.redis.rig.RedisServer;
import dev.pacegate.redis.rig.Version;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Programs follow the primary that Sentinel names, and together never pass the limit. */
@Timeout(300)
class SentinelTest {

  private static final String LIMIT = "100/1s";
  private static final Duration SOON = Duration.ofSeconds(60);

  private final Queue<Long> starts = new ConcurrentLinkedQueue<>();

  /** The first Sentinel is silent too: others are asked. */
  @Test
  @Tag("servers")
  void aPrimaryThatStandsStillIsLeftAndGrantsNothingMore() throws Exception {
    try (var servers = RedisSentinels.start(Version.V7);
        var log = new LoggedLines();
        var one = new Program(servers.uri(), LIMIT, starts);
        var other = new Program(servers.uri(), LIMIT, starts)) {
      begin(one, other);
      RedisNode former = servers.primary();
      servers.sentinels().get(0).stop();
      former.stop();
      awaitMore(one);
      awaitMore(other);
      former.cont();
      servers.sentinels().get(0).cont();
      awaitMore(one);
      awaitMore(other);
      judge();
      log.awaitOutagesToEnd();
    }
  }

  @Test
  @Tag("heavy")
  void aPrimaryThatDiedIsReplacedAndTakesOverAgain() throws Exception {
    try (var servers = RedisSentinels.start(Version.V7);
        var one = new Program(servers.uri(), LIMIT, starts);
        var other = new Program(servers.uri(), LIMIT, starts)) {
      begin(one, other);
      RedisNode former = servers.primary();
      former.kill9();
      servers.awaitReplaced(former);
      former.restart(); // a replica that is away holds up all
      awaitMore(one);
      awaitMore(other);
      servers.failBack();
      awaitMore(one);
      awaitMore(other);
      judge();
    }
  }

  /** Its address leads elsewhere by then, but a server that is demoted keeps its connections. */
  @Test
  void aServerThatBecameAReplicaIsLeft() throws Exception {
    try (var first = RedisServer.start(Version.V6_2);
        var second = RedisServer.with(Version.V6_2).replicaOf(first).start();
        var address = new CutProxy(first.port());
        var log = new LoggedLines()) {
      second.awaitInStep(first);
      try (var program = new Program(address.uri(first), LIMIT, starts)) {
        program.begin();
        awaitMore(program);
        address.redirect(second.port());
        second.promote();
        first.follow(second);
        awaitMore(program);
        assertEquals(List.of("127.0.0.1:" + first.port()), program.status().replicas());
      }
      judge();
      assertEquals(List.of(), log.with("READONLY"));
    }
  }

  /** What is known of it is asked anew, as another server may have another version or set-up. */
  @Test
  void aServerThatCannotShareLimitsIsNotUsedAfterAReconnection() throws Exception {
    try (var first = RedisServer.start(Version.V6_2);
        var second = RedisServer.with(Version.V6_2).set("cluster-enabled", "yes").start();
        var address = new CutProxy(first.port());
        var log = new LoggedLines();
        var program = new Program(address.uri(first), LIMIT, starts)) {
      program.begin();
      awaitMore(program);
      address.redirect(second.port());
      address.cut();
      Await.until(
          () -> "it is refused; but " + log.with(""),
          SOON,
          () -> !log.with("api: the store cannot share limits: it is in cluster mode").isEmpty());
      address.redirect(first.port());
      address.cut();
      awaitMore(program);
    }
  }

  private static void begin(Program... programs) throws InterruptedException {
    for (Program program : programs) {
      program.begin();
    }
    for (Program program : programs) {
      awaitMore(program);
    }
  }

  private static void awaitMore(Program program) throws InterruptedException {
    long enough = program.count() + 50;
    Await.until("it sends more", SOON, () -> program.count() >= enough);
  }

  private void judge() {
    var audit = Audit.of(Limits.parse(LIMIT));
    starts.stream().sorted(Long::compare).forEach(audit::add);
    assertTrue(audit.verdict().kept(), () -> audit.verdict().text());
  }
}
