package dev.pacegate.redis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.Limiter;
import dev.pacegate.redis.rig.Await;
import dev.pacegate.redis.rig.RedisServer;
import dev.pacegate.redis.rig.Version;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A pause lasts as long as its record does; if that is lost, the log says so. */
@Timeout(120)
class StoredPauseTest {

  private static final Duration SOON = Duration.ofSeconds(60);
  private static final String NAME = "paused"; // of no other test, as they log at the same time
  private static final String LIMIT = "10/100ms";

  private final Logger logger = Logger.getLogger("dev.pacegate.redis");
  private final List<String> lines = new CopyOnWriteArrayList<>();

  private final Handler handler =
      new Handler() {
        @Override
        public void publish(LogRecord line) {
          if (line.getMessage().startsWith(NAME)) {
            lines.add(line.getMessage());
          }
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
      };

  @BeforeEach
  void listen() {
    logger.addHandler(handler);
  }

  @AfterEach
  void hearNoMore() {
    logger.removeHandler(handler);
  }

  @Test
  void aServerThatForgetsAllLosesItAndTheLogSaysSo() throws Exception {
    try (var server = RedisServer.start(Version.V6_2);
        var redis = connect(server)) {
      var api = redis.limiter(NAME, LIMIT);
      pause(redis, api);
      var waiting = api.acquireAsync();
      server.command("FLUSHALL");
      waiting.get().close();
      Await.until(() -> "the loss: " + lines, SOON, () -> says("has lost the pause"));
      assertTrue(!says("the pause is over"), lines::toString);
    }
  }

  @Test
  void aPauseThatIsEndedIsNotLost() throws Exception {
    try (var server = RedisServer.start(Version.V6_2);
        var redis = connect(server)) {
      var api = redis.limiter(NAME, LIMIT);
      pause(redis, api);
      var waiting = api.acquireAsync();
      Await.until("it is ended", SOON, () -> isEnded(redis));
      waiting.get().close();
      Await.until(() -> "the end: " + lines, SOON, () -> says("the pause is over"));
      assertTrue(!says("lost"), lines::toString);
    }
  }

  @Test
  void aServerWithAFileKeepsItAcrossARestart() throws Exception {
    try (var server =
            RedisServer.with(Version.V6_2)
                .set("appendonly", "yes")
                .set("appendfsync", "always")
                .start();
        var redis = connect(server)) {
      var api = redis.limiter(NAME, LIMIT);
      pause(redis, api);
      server.restart();
      assertStays(redis, api, "the store was restarted, or another server took over");
    }
  }

  @Test
  void aReplicaThatIsPromotedKeepsIt() throws Exception {
    try (var server = RedisServer.start(Version.V6_2);
        var replica = RedisServer.with(Version.V6_2).replicaOf(server).start();
        var redis = connect(server)) {
      replica.awaitInStep(server);
      pause(redis, redis.limiter(NAME, LIMIT));
      replica.awaitInStep(server);
      replica.promote();
      try (var other = connect(replica)) {
        var api = other.limiter(NAME, LIMIT);
        assertStays(other, api, "the store was restarted, or another server took over");
      }
    }
  }

  private static RedisLimiters connect(RedisServer server) throws InterruptedException {
    return Await.value(
        "a connection",
        SOON,
        RedisLimiters.builder(server.uri()).fresh().partition(Duration.ZERO)::connect);
  }

  // Again and again: a server that a stalled machine keeps silent for a second is given up.
  private static boolean isEnded(RedisLimiters redis) {
    redis.operations().resume(NAME, "done");
    return true;
  }

  private void pause(RedisLimiters redis, Limiter api) throws Exception {
    api.acquire().close();
    Await.until("it is paused", SOON, () -> isPaused(redis));
    Await.until(
        "this process knows of it",
        SOON,
        () -> api.tryAcquire().isEmpty() && says("paused in the store"));
  }

  private static boolean isPaused(RedisLimiters redis) {
    redis.operations().pause(NAME, Duration.ofHours(1), "maintenance");
    return true;
  }

  /** The next epoch has begun, and its fence is over. */
  private void assertStays(RedisLimiters redis, Limiter api, String reason) throws Exception {
    Await.until(
        () -> "an epoch, whose fence is over: " + lines,
        SOON,
        () -> {
          assertTrue(api.tryAcquire().isEmpty());
          var status = redis.operations().status(NAME).orElseThrow();
          return status.reason().equals(reason) && status.fence().isZero();
        });
    var status = Await.value("a status", SOON, () -> redis.operations().status(NAME).orElseThrow());
    assertTrue(status.pause().toMinutes() >= 58, status::toString);
    assertEquals("maintenance", status.why());
    assertTrue(!says("the pause is over") && !says("lost"), lines::toString);
  }

  private boolean says(String words) {
    return lines.stream().anyMatch(line -> line.contains(words));
  }
}
