package dev.pacegate.redis.rig;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A primary and two replicas of a test's own, and three Sentinels that replace the primary once it
 * does not answer for {@link #DOWN_AFTER}. It ends with the JVM at the latest.
 *
 * <pre>{@code
 * try (var sentinels = RedisSentinels.start(Version.V7)) {
 *   RedisNode primary = sentinels.primary();
 *   primary.stop();
 *   sentinels.awaitReplaced(primary);
 *   primary.cont();
 *   sentinels.awaitHealthy();
 *   sentinels.failBack();
 * }
 * }</pre>
 *
 * <p>Used by one thread.
 */
public final class RedisSentinels implements AutoCloseable {

  /** down-after-milliseconds. */
  public static final Duration DOWN_AFTER = Duration.ofSeconds(1);

  /** What the Sentinels call the server that they watch. */
  public static final String NAME = "primary";

  private static final Duration LONGEST = Duration.ofSeconds(90);
  private static final int SENTINELS = 3;
  private static final int SERVERS = 3;

  private final List<RedisNode> nodes = new ArrayList<>();
  private final List<RedisServer> sentinels = new ArrayList<>();

  private RedisSentinels() {}

  /** Starts all, and waits until the Sentinels know each other and the replicas are in step. */
  public static RedisSentinels start(Version version) throws Exception {
    var started = new RedisSentinels();
    try {
      for (int i = 0; i < SERVERS; i++) {
        started.addServer(version);
      }
      for (int i = 0; i < SENTINELS; i++) {
        started.addSentinel(version);
      }
      started.awaitHealthy();
      return started;
    } catch (Throwable e) {
      started.close();
      throw e;
    }
  }

  /** The first is the primary, and takes over before others when it is a replica. */
  private void addServer(Version version) throws Exception {
    RedisSetup setup = RedisServer.with(version);
    if (nodes.isEmpty()) {
      setup.set("replica-priority", "10");
    } else {
      setup.set("replicaof", "127.0.0.1 " + nodes.get(0).port());
    }
    nodes.add(RedisNode.start(setup, nodes.size() + 1));
  }

  private void addSentinel(Version version) throws Exception {
    sentinels.add(
        RedisServer.with(version)
            .sentinel(nodes.get(0).port(), SENTINELS / 2 + 1)
            .set("sentinel down-after-milliseconds " + NAME, "" + DOWN_AFTER.toMillis())
            .set("sentinel failover-timeout " + NAME, "4000")
            .set("sentinel announce-ip", "127.0.0.1")
            .from(RedisNode.address(SERVERS + sentinels.size() + 1))
            .start());
  }

  /** Returns where clients find the primary: through any of the Sentinels. */
  public String uri() {
    String all =
        sentinels.stream()
            .map(sentinel -> "127.0.0.1:" + sentinel.port())
            .collect(Collectors.joining(","));
    return "redis-sentinel://" + all + "/0#" + NAME;
  }

  /** Returns the servers; the first has been the primary, and {@link #failBack} returns to it. */
  public List<RedisNode> nodes() {
    return List.copyOf(nodes);
  }

  /** Returns the Sentinels. */
  public List<RedisServer> sentinels() {
    return List.copyOf(sentinels);
  }

  /** Returns the server that most Sentinels lead clients to. */
  public RedisNode primary() throws IOException {
    for (RedisNode node : nodes) {
      if (leadingTo(node) > SENTINELS / 2) {
        return node;
      }
    }
    throw new IllegalStateException("the Sentinels do not agree");
  }

  /** Returns how often a Sentinel has led clients to another server: under load also by itself. */
  public long replacements() {
    return sentinels
        .get(0)
        .output()
        .lines()
        .filter(line -> line.contains("+switch-master"))
        .count();
  }

  private int leadingTo(RedisNode node) throws IOException {
    int count = 0;
    for (RedisServer sentinel : sentinels) {
      var address = (List<?>) sentinel.command("SENTINEL", "GET-MASTER-ADDR-BY-NAME", NAME);
      if (List.of("127.0.0.1", "" + node.port()).equals(address)) {
        count++;
      }
    }
    return count;
  }

  /** Waits until another server is the primary, and all Sentinels lead clients to it. */
  public void awaitReplaced(RedisNode former) throws InterruptedException {
    Await.until(
        () -> "another takes over; a Sentinel says:\n" + sentinels.get(0).output(),
        LONGEST,
        () -> primary() != former && leadingTo(primary()) == SENTINELS && !primary().isReplica());
  }

  /**
   * Waits until all servers are there, the replicas have what the primary has, and all Sentinels
   * know all others: then the primary can be replaced.
   */
  public void awaitHealthy() throws IOException, InterruptedException {
    Await.until(
        () -> "all is well; a Sentinel says:\n" + sentinels.get(0).output(),
        LONGEST,
        this::isHealthy);
    for (RedisNode node : nodes) {
      if (node != primary()) {
        node.awaitInStep(primary());
      }
    }
  }

  private boolean isHealthy() throws IOException {
    RedisNode primary = primary();
    for (RedisNode node : nodes) {
      if (!node.isThere() || node.isReplica() == (node == primary) || !follows(node, primary)) {
        return false;
      }
    }
    for (RedisServer sentinel : sentinels) {
      if (!isContent(sentinel)) {
        return false;
      }
    }
    return leadingTo(primary) == SENTINELS;
  }

  private static boolean follows(RedisNode node, RedisNode primary) throws IOException {
    return node == primary
        || Objects.equals(node.server().info("replication", "master_port"), "" + primary.port());
  }

  private static boolean isContent(RedisServer sentinel) throws IOException {
    List<String> primary = fields(sentinel.command("SENTINEL", "MASTER", NAME));
    boolean content =
        value(primary, "flags").equals("master")
            && value(primary, "num-slaves").equals("" + (SERVERS - 1))
            && value(primary, "num-other-sentinels").equals("" + (SENTINELS - 1));
    for (Object replica : list(sentinel.command("SENTINEL", "SLAVES", NAME))) {
      content &= value(fields(replica), "flags").equals("slave");
      content &= value(fields(replica), "master-link-status").equals("ok");
    }
    return content;
  }

  private static List<String> fields(@Nullable Object reply) {
    return list(reply).stream().map(String::valueOf).toList();
  }

  private static List<?> list(@Nullable Object reply) {
    return (List<?>) Objects.requireNonNull(reply);
  }

  private static String value(List<String> fields, String name) {
    return fields.get(fields.indexOf(name) + 1);
  }

  /** Separates a server from the others and from all Sentinels. Clients still reach it. */
  public void cutOff(RedisNode node) {
    RedisNode.cutOff(List.of(node), nodes.stream().filter(other -> other != node).toList());
  }

  /** Ends {@link #cutOff}. */
  public void heal() throws IOException {
    for (RedisNode node : nodes) {
      node.heal();
    }
  }

  /** Makes the first server the primary again, once it is in step. */
  public void failBack() throws IOException, InterruptedException {
    awaitHealthy();
    Await.until(
        () -> "it is the primary again; a Sentinel says:\n" + sentinels.get(0).output(),
        LONGEST,
        this::isFirstAgain);
    awaitHealthy();
  }

  private boolean isFirstAgain() throws IOException {
    if (isHealthy() && primary() != nodes.get(0)) {
      sentinels.get(0).command("SENTINEL", "FAILOVER", NAME);
    }
    return isHealthy() && primary() == nodes.get(0);
  }

  /** Kills all and deletes their folders. */
  @Override
  public void close() throws Exception {
    var all = new ArrayList<AutoCloseable>(nodes);
    all.addAll(sentinels);
    RedisNode.closeAll(all);
  }
}
