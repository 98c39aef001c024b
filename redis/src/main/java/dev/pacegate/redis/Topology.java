package dev.pacegate.redis;

import dev.pacegate.time.Time;
import io.lettuce.core.RedisException;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode.NodeFlag;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/**
 * Who has which slots of a cluster, as its nodes said last. They are asked again when something
 * fails, and not by the clock: a node that has a slot no more refuses what is asked of it. Never
 * waits, but when it is asked first. Thread-safe.
 */
final class Topology {

  /** Each look connects to all nodes, in each process. */
  private static final long FIRST_PAUSE = Duration.ofMillis(100).toNanos();

  private static final long LAST_PAUSE = Duration.ofSeconds(1).toNanos();

  /** After so long without a look all was well. */
  private static final long CALM = Duration.ofSeconds(10).toNanos();

  private final RedisClusterClient client;
  private final Time time;
  private volatile Runnable onRefresh = () -> {};
  private @Nullable CompletableFuture<Void> underWay; // guarded by this, as all that follows
  private long began;
  private long pause;

  Topology(RedisClusterClient client, Time time) {
    this.client = client;
    this.time = time;
    this.began = time.nanoTime() - CALM;
  }

  /**
   * Asks the nodes, and waits for what they say.
   *
   * @throws RedisException if none answers
   */
  void require() {
    try {
      client.getPartitions();
    } catch (RedisException e) {
      Throwable first = e.getSuppressed().length > 0 ? e.getSuppressed()[0] : e.getCause();
      throw first == null
          ? e
          : new RedisException(e.getMessage() + ": " + Causes.ofConnecting(first), e);
    }
  }

  /** Has this called after each look. */
  void onRefresh(Runnable action) {
    onRefresh = action;
  }

  /** Returns the primary that has a slot; null if none is known. */
  @Nullable RedisClusterNode owner(int slot) {
    return client.getPartitions().getMasterBySlot(slot);
  }

  /** Returns the primaries that have slots. */
  List<RedisClusterNode> primaries() {
    return client.getPartitions().getPartitions().stream()
        .filter(node -> node.is(NodeFlag.UPSTREAM) && !node.hasNoSlots())
        .toList();
  }

  /** Returns which server a node is, and where. */
  static String place(RedisClusterNode node) {
    return node.getNodeId() + "@" + node.getUri().getHost() + ":" + node.getUri().getPort();
  }

  /** Asks the nodes soon, unless that was done just now. */
  void refresh() {
    long now = time.nanoTime();
    synchronized (this) {
      if (underWay != null || now - began < pause) {
        return;
      }
      var unused = prepare(now);
    }
    ask();
  }

  /** Returns what ends once the nodes were asked. */
  CompletionStage<Void> refreshed() {
    CompletableFuture<Void> result;
    synchronized (this) {
      if (underWay != null) {
        return underWay;
      }
      result = prepare(time.nanoTime());
    }
    ask();
    return result;
  }

  // A process does not ask when all others do.
  private synchronized CompletableFuture<Void> prepare(long now) {
    long longer = now - began >= CALM ? FIRST_PAUSE : Math.min(2 * pause, LAST_PAUSE);
    pause = longer;
    began = now - ThreadLocalRandom.current().nextLong(FIRST_PAUSE / 2);
    CompletableFuture<Void> result = new CompletableFuture<>();
    underWay = result;
    return result;
  }

  private void ask() {
    try {
      var unused = client.refreshPartitionsAsync().whenComplete((asked, failure) -> over());
    } catch (RuntimeException e) { // the client is closed
      over();
    }
  }

  private void over() {
    CompletableFuture<Void> result;
    synchronized (this) {
      result = underWay;
      underWay = null;
    }
    onRefresh.run();
    if (result != null) {
      result.complete(null);
    }
  }
}
