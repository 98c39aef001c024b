package dev.pacegate.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.redis.RedisLimiters;
import dev.pacegate.redis.rig.Await;
import dev.pacegate.redis.rig.RedisCluster;
import dev.pacegate.redis.rig.RedisNode;
import dev.pacegate.redis.rig.RedisSentinels;
import dev.pacegate.redis.rig.Version;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** {@code --store} and {@code pacegate cluster}, where servers replace each other. */
@Tag("heavy")
@DisabledOnOs(OS.WINDOWS)
@Timeout(300)
class StoreFailoverTest {

  private static final String LIMIT = "peer(10/1s, unanswered=1s)";

  private static final Duration SOON = Duration.ofSeconds(60);

  /** What a failover needs. */
  private interface Replacement {

    void run() throws Exception;
  }

  @Test
  void aStoreOfSentinelsIsFollowed() throws Exception {
    try (var servers = RedisSentinels.start(Version.V7)) {
      RedisNode former = servers.primary();
      use(
          servers.uri(),
          () -> {
            former.kill9();
            servers.awaitReplaced(former);
            former.restart(); // a replica that is away holds up all
          });
    }
  }

  @Test
  void aStoreOfAClusterIsFollowed() throws Exception {
    try (var cluster = RedisCluster.start(Version.V7)) {
      RedisNode former = cluster.primary("api");
      RedisNode other = cluster.otherPrimary("api");
      use(
          other.uri(),
          () -> {
            former.kill9();
            cluster.awaitReplaced(former, "api");
            former.restart();
          });
    }
  }

  /** All that is done to the names of a store, before and after another server takes over. */
  private static void use(String store, Replacement replacement) throws Exception {
    try (var redis = RedisLimiters.builder(store).fresh().connect()) {
      redis.limiter("api", LIMIT).acquireUninterruptibly().notSent(); // else it is not known
      redis.limiter("other", LIMIT).acquireUninterruptibly().notSent();
    }
    pipe(store, 20);
    cluster(store, "pause", "api", "--for", "1h", "--why", "maintenance");
    assertTrue(status(store).contains("maintenance"));
    replacement.run();
    assertTrue(status(store).contains("maintenance"));
    cluster(store, "pause", "api", "--end");
    pipe(store, 20);
    cluster(store, "set", "api", "20/1s", "--why", "larger plan");
    assertTrue(status(store).contains("api: peer(20/1s, unanswered=1s)"));
    assertTrue(status(store).contains("other: " + LIMIT));
  }

  private static void pipe(String store, int lines) {
    String all = IntStream.range(0, lines).mapToObj(i -> i + "\n").collect(Collectors.joining());
    Session piped =
        Session.given(all).inRealTime().run("pipe", "-q", LIMIT, "--store", store, "--name", "api");
    assertEquals(Status.OK, piped.status(), piped::err);
    assertEquals(all, piped.out());
  }

  private static String status(String store) throws Exception {
    return String.join("\n", cluster(store, "status"));
  }

  /** A server that is silent for a second, such as on a busy machine, is asked again by people. */
  private static List<String> cluster(String store, String... words) throws Exception {
    String[] all =
        Stream.of(Stream.of("cluster"), Arrays.stream(words), Stream.of("--store", store))
            .flatMap(each -> each)
            .toArray(String[]::new);
    List<Session> done = new ArrayList<>();
    Await.until(
        () -> "it is done; " + done.stream().map(Session::err).toList(),
        SOON,
        () ->
            done.add(Session.given("").inRealTime().run(all)) && last(done).status() == Status.OK);
    return last(done).lines();
  }

  private static Session last(List<Session> done) {
    return done.get(done.size() - 1);
  }
}
