package dev.pacegate.redis;

import dev.pacegate.time.Time;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One server, or a primary that others replace: one connection leads to it, wherever it is. If that
 * leads to a replica it is broken, so the client asks anew where the primary is, such as of
 * Sentinel. So it is if replicas are missing for a while: they may have left a primary that was cut
 * off, which clients still reach and which is not told that it was replaced.
 */
final class OneServer implements Nodes {

  private static final long AGAIN = Duration.ofMillis(500).toNanos();
  private static final long MISSING = Duration.ofSeconds(2).toNanos();

  private final Node node;
  private final Runnable shutDown;
  private final Time time;
  private final AtomicLong left; // when the connection was broken last
  private volatile long served; // when a call was answered last

  /**
   * Creates it.
   *
   * @param shutDown ends what was made for these limits alone
   */
  OneServer(Node node, Runnable shutDown, Time time) {
    this.node = node;
    this.shutDown = shutDown;
    this.time = time;
    this.served = time.nanoTime();
    this.left = new AtomicLong(served - AGAIN);
  }

  @Override
  public void run(Script script, Address address, int terms, Caller caller) {
    node.run(script, address, terms, new WatchedCaller(caller, why -> why, this::watch));
  }

  private @Nullable Throwable watch(@Nullable Throwable failure) {
    if (failure == null) {
      served = time.nanoTime();
    } else if (RedisFailures.isOfReplica(failure)) {
      leave(AGAIN);
    } else if (RedisFailures.isOfMissingReplicas(failure) && time.nanoTime() - served >= MISSING) {
      leave(MISSING);
    }
    return failure;
  }

  private void leave(long again) {
    long now = time.nanoTime();
    long before = left.get();
    if (now - before >= again && left.compareAndSet(before, now)) {
      node.leave();
    }
  }

  @Override
  public <T> T with(Address address, Function<Node, T> operation) {
    node.require();
    return operation.apply(node);
  }

  @Override
  public List<Node> all() {
    node.require();
    return List.of(node);
  }

  @Override
  public void keyed(String name) {
    Eviction eviction = node.eviction();
    if (eviction != null) {
      eviction.tellKeyed(name);
    }
  }

  @Override
  public boolean isClosed() {
    return node.isClosed();
  }

  @Override
  public void finish(Duration longest) {
    node.finish(longest);
  }

  @Override
  public void close() {
    node.close();
    shutDown.run();
  }
}
