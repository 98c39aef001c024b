package dev.pacegate.redis.contest;

import dev.pacegate.redis.rig.RedisCluster;
import dev.pacegate.redis.rig.RedisNode;
import dev.pacegate.redis.rig.RedisSentinels;
import dev.pacegate.redis.rig.Version;
import java.io.IOException;

/** Servers of which one takes the place of another. */
interface Fleet extends AutoCloseable {

  /** Returns where a process finds them. */
  String uri(int process);

  /** Returns who grants for a name. */
  RedisNode primary(String name) throws IOException;

  /** Waits until another grants for the name. */
  void awaitReplaced(RedisNode former, String name) throws Exception;

  /** Returns how often a primary was replaced; 0 if that is not known. */
  default long replacements() {
    return 0;
  }

  /** Waits until all servers are there and each primary can be replaced. */
  void awaitHealthy() throws Exception;

  /** Separates a server from the others, not from clients. */
  void cutOff(RedisNode node) throws Exception;

  /** Ends {@link #cutOff}. */
  void heal() throws Exception;

  /** Makes a server a primary that was one, and returns it. */
  RedisNode failBack(RedisNode former) throws Exception;

  /** Lets another primary grant for a name, without a failover; false if there is no such thing. */
  boolean moveSlot(String name) throws Exception;

  @Override
  void close() throws Exception;

  /** Three primaries of a Cluster, and a replica of each. */
  static Fleet cluster() throws Exception {
    return new OfCluster(RedisCluster.start(Version.V7));
  }

  /** A primary, two replicas and three Sentinels. */
  static Fleet sentinels() throws Exception {
    return new OfSentinels(RedisSentinels.start(Version.V7));
  }

  /** A {@link RedisCluster}. */
  record OfCluster(RedisCluster cluster) implements Fleet {

    @Override
    public String uri(int process) {
      return cluster.uris().get(process % cluster.uris().size());
    }

    @Override
    public RedisNode primary(String name) throws IOException {
      return cluster.primary(name);
    }

    @Override
    public void awaitReplaced(RedisNode former, String name) throws Exception {
      cluster.awaitReplaced(former, name);
    }

    @Override
    public void awaitHealthy() throws Exception {
      cluster.awaitHealthy();
    }

    @Override
    public void cutOff(RedisNode node) {
      cluster.cutOff(node);
    }

    @Override
    public void heal() throws IOException {
      cluster.heal();
    }

    @Override
    public RedisNode failBack(RedisNode former) throws Exception {
      cluster.failBack(former);
      return former;
    }

    @Override
    public boolean moveSlot(String name) throws Exception {
      cluster.moveSlot(name, cluster.otherPrimary(name));
      return true;
    }

    @Override
    public void close() throws Exception {
      cluster.close();
    }
  }

  /** {@link RedisSentinels}. */
  record OfSentinels(RedisSentinels sentinels) implements Fleet {

    @Override
    public String uri(int process) {
      return sentinels.uri();
    }

    @Override
    public RedisNode primary(String name) throws IOException {
      return sentinels.primary();
    }

    @Override
    public void awaitReplaced(RedisNode former, String name) throws Exception {
      sentinels.awaitReplaced(former);
    }

    @Override
    public long replacements() {
      return sentinels.replacements();
    }

    @Override
    public void awaitHealthy() throws Exception {
      sentinels.awaitHealthy();
    }

    @Override
    public void cutOff(RedisNode node) {
      sentinels.cutOff(node);
    }

    @Override
    public void heal() throws IOException {
      sentinels.heal();
    }

    @Override
    public RedisNode failBack(RedisNode former) throws Exception {
      sentinels.failBack();
      return sentinels.primary();
    }

    @Override
    public boolean moveSlot(String name) {
      return false;
    }

    @Override
    public void close() throws Exception {
      sentinels.close();
    }
  }
}
