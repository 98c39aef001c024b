package dev.pacegate.redis.contest;

import dev.pacegate.redis.RedisLimiters;
import dev.pacegate.redis.rig.Await;
import dev.pacegate.redis.rig.CutProxy;
import dev.pacegate.redis.rig.RedisServer;
import dev.pacegate.redis.rig.Version;
import java.io.IOException;
import java.time.Duration;

/**
 * A server and a replica, which can take over while the server goes on. Both begin as primaries if
 * they are restarted. Used by one thread.
 */
final class ReplicatedServer implements AutoCloseable {

  private static final Duration LONGEST = Duration.ofSeconds(90);

  private RedisServer primary;
  private RedisServer replica;
  private final CutProxy link;

  private ReplicatedServer(RedisServer primary, RedisServer replica, CutProxy link) {
    this.primary = primary;
    this.replica = replica;
    this.link = link;
  }

  static ReplicatedServer start(Version version) throws Exception {
    RedisServer primary = RedisServer.start(version);
    RedisServer replica = RedisServer.start(version);
    var servers = new ReplicatedServer(primary, replica, new CutProxy(primary.port()));
    replica.follow(servers.link);
    replica.awaitInStep(primary);
    return servers;
  }

  /** The server, as long as no other has taken its place. */
  RedisServer primary() {
    return primary;
  }

  /** The replica, or what was promoted. */
  RedisServer replica() {
    return replica;
  }

  /**
   * Waits until the records of these names have the replica. That one which came since the last
   * call is not promoted is what a failover without excess assumes.
   */
  void awaitNamed(String... names) throws IOException, InterruptedException {
    replica.awaitInStep(primary);
    String address = "127.0.0.1:" + replica.port();
    try (RedisLimiters redis = LimitWorker.connect(RedisLimiters.builder(primary.uri()))) {
      for (String name : names) {
        Await.until(
            () -> "the record of " + name + " has " + address,
            LONGEST,
            () -> redis.operations().status(name).orElseThrow().replicas().contains(address));
      }
    }
  }

  /** Promotes the replica. The primary does not hear of it, and goes on if it is not stopped. */
  void promote() throws IOException {
    link.hold();
    replica.promote();
  }

  /** Makes the former primary a replica of the one that was promoted. */
  void exchange() throws IOException {
    RedisServer former = primary;
    primary = replica;
    replica = former;
    link.redirect(primary.port()); // first: what is held is lost
    link.heal();
    replica.follow(link);
  }

  @Override
  public void close() throws IOException, InterruptedException {
    link.close();
    replica.close();
    primary.close();
  }
}
