package dev.pacegate.redis.rig;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.lettuce.core.RedisURI;
import io.lettuce.core.cluster.RedisClusterClient;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;

/** What happens to a {@link RedisCluster}. All tests use one, and leave it as they found it. */
@Tag("servers")
@Timeout(120)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class RedisClusterTest {

  private static final Duration SOON = Duration.ofSeconds(60);
  private static final String KEY = "pacegate:{api}";

  private RedisCluster cluster;

  @BeforeAll
  void start() throws Exception {
    cluster = RedisCluster.start(Version.V7);
  }

  @AfterAll
  void close() throws Exception {
    if (cluster != null) {
      cluster.close();
    }
  }

  private @Nullable Object get(RedisNode node) throws Exception {
    return node.server().command("GET", KEY);
  }

  @Test
  void clientsFindThePrimaryOfEachName() throws Exception {
    try (var client = RedisClusterClient.create(RedisURI.create(cluster.uris().get(5)))) {
      var commands = client.connect().sync();
      assertEquals(6, client.getPartitions().size());
      for (int i = 0; i < 20; i++) {
        String name = "name" + i;
        commands.set("pacegate:{" + name + "}", name);
        var primary = cluster.primary(name);
        assertEquals(name, primary.server().command("GET", "pacegate:{" + name + "}"));
        assertEquals(
            primary.port(),
            client.getPartitions().getPartitionBySlot(cluster.slot(name)).getUri().getPort());
      }
    }
  }

  @Test
  void aKilledPrimaryIsReplacedAndComesBack() throws Exception {
    var primary = cluster.primary("api");
    var replica = cluster.replica(primary);
    primary.server().command("SET", KEY, "killed");
    replica.awaitInStep(primary);
    primary.server().command("CLUSTER", "BUMPEPOCH");
    cluster.awaitHealthy(); // else its replica may not be elected
    primary.kill9();
    cluster.awaitReplaced(primary, "api");
    assertSame(replica, cluster.primary("api"));
    assertEquals("killed", get(replica));
    primary.restart();
    cluster.failBack(primary);
    assertSame(primary, cluster.primary("api"));
    assertEquals("killed", get(primary));
  }

  /**
   * A replica that lately won an election would count those votes again, for an epoch long over.
   */
  @Test
  @Tag("heavy")
  void aPrimaryIsReplacedAgainAtOnce() throws Exception {
    var primary = cluster.primary("api");
    for (int i = 0; i < 3; i++) {
      primary.kill9();
      cluster.awaitReplaced(primary, "api");
      primary.restart();
      cluster.failBack(primary);
    }
    assertSame(primary, cluster.primary("api"));
  }

  @Test
  void aPrimaryThatStandsStillIsReplaced() throws Exception {
    var primary = cluster.primary("api");
    primary.stop();
    cluster.awaitReplaced(primary, "api");
    assertNotSame(primary, cluster.primary("api"));
    primary.cont();
    cluster.failBack(primary);
    assertSame(primary, cluster.primary("api"));
  }

  @Test
  void aSlotMovesWithItsKeysAndBack() throws Exception {
    var from = cluster.primary("moved");
    var to = cluster.otherPrimary("moved");
    for (int i = 0; i < 25; i++) {
      from.server().command("SET", "pacegate:{moved}:" + i, "" + i);
    }
    cluster.moveSlot("moved", to);
    assertSame(to, cluster.primary("moved"));
    assertEquals("24", to.server().command("GET", "pacegate:{moved}:24"));
    var error =
        assertThrows(
            RedisErrorException.class, () -> from.server().command("GET", "pacegate:{moved}:0"));
    assertEquals("MOVED " + cluster.slot("moved") + " 127.0.0.1:" + to.port(), error.getMessage());
    cluster.awaitHealthy();
    cluster.moveSlot("moved", from);
    assertSame(from, cluster.primary("moved"));
    assertEquals("24", from.server().command("GET", "pacegate:{moved}:24"));
    cluster.awaitHealthy();
  }

  @Test
  void aPrimaryThatIsCutOffIsReplacedAndStillReached() throws Exception {
    var primary = cluster.primary("api");
    var replica = cluster.replica(primary);
    try (var client = RedisClusterClient.create(primary.uri())) {
      var direct = client.connect().getConnection("127.0.0.1", primary.port()).sync();
      direct.set(KEY, "before");
      replica.awaitInStep(primary);
      cluster.cutOff(primary);
      direct.set(KEY, "alone"); // it does not know yet
      cluster.awaitReplaced(primary, "api");
      assertSame(replica, cluster.primary("api"));
      assertEquals("before", get(replica));
      Await.until(
          "it knows that it is alone",
          SOON,
          () -> ("" + primary.server().command("CLUSTER", "INFO")).contains("state:fail"));
      assertFalse(primary.isReplica());
      var down = assertThrows(Exception.class, () -> direct.set(KEY, "later"));
      assertTrue(("" + down.getMessage()).startsWith("CLUSTERDOWN"), down::toString);
    }
    cluster.heal();
    cluster.failBack(primary);
    assertEquals("before", get(primary));
    assertNotEquals("slave", Objects.requireNonNull(primary.server().info("replication", "role")));
  }
}
