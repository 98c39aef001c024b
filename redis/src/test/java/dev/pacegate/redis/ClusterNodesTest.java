package dev.pacegate.redis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.KeyedLimiter;
import dev.pacegate.audit.Audit;
import dev.pacegate.limit.Limits;
import dev.pacegate.redis.rig.Await;
import dev.pacegate.redis.rig.RedisCluster;
import dev.pacegate.redis.rig.RedisNode;
import dev.pacegate.redis.rig.Version;
import io.lettuce.core.RedisURI;
import io.lettuce.core.cluster.ClusterClientOptions;
import io.lettuce.core.cluster.RedisClusterClient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Programs that share limits through a Redis Cluster of three primaries and their replicas. */
@Timeout(300)
class ClusterNodesTest {

  private static final String LIMIT = "100/1s";
  private static final String SECRET = "sixteen characters";
  private static final Duration SOON = Duration.ofSeconds(60);

  private static RedisCluster cluster;

  private final Queue<Long> starts = new ConcurrentLinkedQueue<>();

  @BeforeAll
  static void start() throws Exception {
    cluster = RedisCluster.start(Version.V7);
  }

  @AfterAll
  static void stop() throws Exception {
    cluster.close();
  }

  private String uri() {
    return cluster.uris().get(0);
  }

  @Test
  @Tag("servers")
  void eachNameIsCountedByTheNodeThatHasItsSlot() throws Exception {
    List<String> names = List.of("a", "b", "c", "d", "e", "f", "g", "h");
    try (var client = RedisClusterClient.create(cluster.uris().get(1));
        var one = RedisLimiters.builder(uri()).fresh().secret(SECRET).connect();
        var other = RedisLimiters.builder(client).fresh().secret(SECRET).connect()) {
      Set<Integer> ports = new HashSet<>();
      for (String name : names) {
        one.limiter(name, "peer(2/1h)").acquire().answered();
        other.limiter(name, "peer(2/1h)").acquire().answered();
        ports.add(cluster.primary(name).port());
        assertEquals(2, spent(one, name));
      }
      assertEquals(3, ports.size());
      assertTrue(other.operations().names().containsAll(names));
      other.operations().setLimit("b", Limits.parse("peer(3/1h)"), "more");
      other.operations().pause("b", Duration.ofHours(1), "less");
      assertEquals("less", status(one, "b").why());
      assertEquals(List.of("set peer(3/1h)", "pause"), audit(one, "b"));
      shareKeys(one, other);
    }
  }

  private static void shareKeys(RedisLimiters one, RedisLimiters other) throws Exception {
    try (KeyedLimiter<String> ofOne = one.keyed("accounts", "peer(2/1h)").build();
        KeyedLimiter<String> ofOther = other.keyed("accounts", "peer(2/1h)").build()) {
      for (String key : List.of("x", "y", "z")) {
        ofOne.acquire(key).answered();
        ofOther.acquire(key).answered();
        assertTrue(ofOther.limiter(key).tryAcquire(1, Duration.ofMillis(300)).isEmpty());
      }
    }
  }

  private static SharedLimitStatus status(RedisLimiters redis, String name)
      throws InterruptedException {
    return Await.value("a status", SOON, () -> redis.operations().status(name).orElseThrow());
  }

  private static long spent(RedisLimiters redis, String name) throws InterruptedException {
    return status(redis, name).terms().get(0).spent();
  }

  private static List<String> audit(RedisLimiters redis, String name) throws InterruptedException {
    return status(redis, name).audit().stream().map(SharedLimitStatus.Entry::what).toList();
  }

  @Test
  @Tag("servers")
  void aSlotThatMovesCostsAFence() throws Exception {
    try (var log = new LoggedLines();
        var one = new Program(uri(), LIMIT, starts);
        var other = new Program(uri(), LIMIT, starts)) {
      begin(one, other);
      for (int i = 0; i < 3; i++) {
        RedisNode next = cluster.otherPrimary("api");
        cluster.moveSlot("api", next);
        awaitMore(one, other);
        String replica = "127.0.0.1:" + cluster.replica(next).port();
        Await.until(
            "the replica is named", SOON, () -> one.status().replicas().equals(List.of(replica)));
      }
      judge();
      assertFalse(
          log.with("because the slot of this name was moved to another node").isEmpty(),
          log.with("")::toString);
      log.awaitOutagesToEnd();
    }
  }

  @Test
  @Tag("servers")
  void aPrimaryThatDiesIsReplaced() throws Exception {
    try (var log = new LoggedLines();
        var one = new Program(uri(), LIMIT, starts);
        var other = new Program(uri(), LIMIT, starts)) {
      begin(one, other);
      RedisNode former = cluster.primary("api");
      former.kill9();
      cluster.awaitReplaced(former, "api");
      awaitMore(one, other);
      former.restart();
      cluster.awaitHealthy();
      awaitMore(one, other);
      judge();
      log.awaitOutagesToEnd();
    }
  }

  /** A client of one's own needs a time-out: by default it asks the primary for a minute. */
  @Test
  @Tag("heavy")
  void aPrimaryThatStoodStillGrantsNothingMore() throws Exception {
    RedisURI impatient = RedisURI.create(uri());
    impatient.setTimeout(Duration.ofSeconds(2));
    try (var client = RedisClusterClient.create(impatient);
        var log = new LoggedLines();
        var one = new Program(uri(), LIMIT, starts);
        var other = new Program(RedisLimiters.builder(client), LIMIT, starts)) {
      begin(one, other);
      RedisNode former = cluster.primary("api");
      former.stop();
      cluster.awaitReplaced(former, "api");
      awaitMore(one, other);
      former.cont();
      cluster.awaitHealthy();
      awaitMore(one, other);
      judge();
      log.awaitOutagesToEnd();
    }
  }

  /** Its connection is closed for good, as after a look at a node that had forgotten it. */
  @Test
  @Tag("heavy")
  void aNodeThatAUsersClientHidesAndShowsAgainIsUsed() throws Exception {
    var hidden = new AtomicInteger(); // a port
    try (var client = RedisClusterClient.create(uri())) {
      client.setOptions(
          ClusterClientOptions.builder()
              .nodeFilter(node -> node.getUri().getPort() != hidden.get())
              .build());
      try (var program = new Program(RedisLimiters.builder(client), LIMIT, starts)) {
        begin(program);
        for (int i = 0; i < 5; i++) {
          hidden.set(cluster.primary("api").port());
          client.refreshPartitions();
          hidden.set(0);
          client.refreshPartitions();
          awaitMore(program);
        }
      }
      judge();
    }
  }

  @Test
  @Tag("servers")
  void aSlotThatHasNoNodeIsWaitedFor() throws Exception {
    try (var log = new LoggedLines();
        var one = new Program(uri(), LIMIT, starts)) {
      begin(one);
      RedisNode primary = cluster.primary("api");
      RedisNode replica = cluster.replica(primary);
      replica.kill9();
      primary.kill9();
      Await.until(
          () -> "the outage is told; but " + log.with(""), SOON, () -> !log.outages().isEmpty());
      primary.restart();
      replica.restart();
      cluster.awaitHealthy();
      awaitMore(one);
      judge();
      log.awaitOutagesToEnd();
    }
  }

  @Test
  @Tag("servers")
  void nothingIsLeftAfterTheClose() throws Exception {
    try (var warm = RedisLimiters.connect(uri())) { // whose timer stays
      assertFalse(warm.operations().names().contains("of none"));
    }
    var remains = new Remains();
    try (var redis = RedisLimiters.builder(uri()).fresh().connect()) {
      for (String name : List.of("i", "j", "k", "l", "m", "n")) {
        redis.limiter(name, "peer(10/1s)").acquire().answered();
      }
    }
    for (RedisNode node : cluster.nodes()) {
      remains.assertNone(node.server());
    }
  }

  @Test
  @Tag("servers")
  void aClusterLosesAcknowledgedWritesSoDurableIsRefused() {
    var refused =
        assertThrows(
            IllegalStateException.class, () -> RedisLimiters.builder(uri()).durable().connect());
    assertTrue(("" + refused.getMessage()).contains("another server may take its place"));
  }

  @Test
  @Tag("servers")
  void aRightThatIsMissingIsNamedAtOnce() throws Exception {
    String rights =
        "~pacegate:* -@all +eval +evalsha +get +set +del +info +time +wait +cluster|nodes";
    String uri = uri().replace("redis://", "redis://app:secret@");
    user(rights);
    var refused = assertThrows(IllegalStateException.class, () -> RedisLimiters.connect(uri));
    assertTrue(("" + refused.getMessage()).contains("it refuses CLUSTER"), refused::toString);
    user(rights + " +cluster|myid");
    try (var redis = RedisLimiters.builder(uri).fresh().connect()) {
      redis.limiter("allowed", "peer(10/1s)").acquire().answered();
    }
  }

  private static void user(String rights) throws Exception {
    var words = new ArrayList<>(List.of("ACL", "SETUSER", "app", "reset", "on", ">secret"));
    words.addAll(List.of(rights.split(" ")));
    for (RedisNode node : cluster.nodes()) {
      node.server().command(words.toArray(String[]::new));
    }
  }

  private static void begin(Program... programs) throws InterruptedException {
    for (Program program : programs) {
      program.begin();
    }
    awaitMore(programs);
  }

  private static void awaitMore(Program... programs) throws InterruptedException {
    for (Program program : programs) {
      long enough = program.count() + 50;
      Await.until("it sends more", SOON, () -> program.count() >= enough);
    }
  }

  private void judge() {
    var audit = Audit.of(Limits.parse(LIMIT));
    starts.stream().sorted(Long::compare).forEach(audit::add);
    assertTrue(audit.verdict().kept(), () -> audit.verdict().text());
  }
}
