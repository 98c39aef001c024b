package dev.pacegate.redis;

import io.lettuce.core.api.StatefulRedisConnection;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Warns, once, of a server that has replicas and grants without any ({@code
 * min-replicas-to-write}): started again as a primary after one of them took its place, it would
 * grant beside that one. Thread-safe.
 */
final class MinReplicas {

  private final StatefulRedisConnection<String, String> connection;
  private final AtomicBoolean asked = new AtomicBoolean();

  MinReplicas(StatefulRedisConnection<String, String> connection) {
    this.connection = connection;
  }

  /** Of a server that was asked already. */
  void tell(ServerFacts facts) {
    if (facts.hasReplicas() && asked.compareAndSet(false, true)) {
      judge(facts.setting(ServerFacts.MIN_REPLICAS));
    }
  }

  /** A limit names replicas, which have come later, or are away: asks without waiting. */
  void named() {
    if (asked.compareAndSet(false, true)) {
      var unused =
          connection
              .async()
              .configGet(ServerFacts.MIN_REPLICAS)
              .thenAccept(settings -> judge(settings.get(ServerFacts.MIN_REPLICAS)));
    }
  }

  private static void judge(@Nullable String value) {
    if ("0".equals(value)) {
      Log.warning(
          "this server has replicas, and min-replicas-to-write is 0: if it is replaced and later"
              + " started as a primary again, without its data file or with an old one, both servers"
              + " grant permits. Set min-replicas-to-write 1");
    }
  }
}
