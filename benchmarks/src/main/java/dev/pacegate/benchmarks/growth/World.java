package dev.pacegate.benchmarks.growth;

import dev.pacegate.KeyedLimiter;
import dev.pacegate.Permit;
import dev.pacegate.limit.Limit;
import dev.pacegate.limit.Limits;
import java.util.List;

/** A limiter of keys, each of which has spent its permit and has one request that waits. */
final class World implements AutoCloseable {

  static final int NEW = -1;
  static final int PROBE = -2;

  private static final List<Limit> LIMITS =
      List.of(Limits.parse("peer(1/1h)"), Limits.parse("peer(1/2h)"));

  final KeyedLimiter<Integer> keys = KeyedLimiter.of(LIMITS.get(0));
  final Permit permit; // of key 0, open
  Object sink = ""; // so that no result is optimised away
  private int changes;

  World(int waiting) {
    permit = spend(0);
    for (int key = 1; key < waiting; key++) {
      spend(key).answered();
    }
    spend(NEW).answered();
    spend(PROBE).answered();
    for (int key = 0; key < waiting; key++) {
      if (keys.acquireAsync(key).isDone()) {
        throw new IllegalStateException("key " + key + " need not wait");
      }
    }
  }

  private Permit spend(int key) {
    return keys.tryAcquire(key).orElseThrow();
  }

  /** Returns the other of two limits under which all keys go on waiting. */
  Limit nextLimit() {
    return LIMITS.get(++changes % LIMITS.size());
  }

  @Override
  public void close() {
    keys.close();
  }
}
