package dev.pacegate.redis;

import io.lettuce.core.api.sync.RedisCommands;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Looks for what contradicts that a server loses nothing that it has acknowledged. */
final class Durability {

  private static final Map<String, String> NEEDED =
      Map.of(
          "appendonly", "yes",
          "appendfsync", "always",
          "no-appendfsync-on-rewrite", "no");

  private Durability() {}

  /**
   * Returns if nothing contradicts. A server that may not be asked for its settings is believed.
   *
   * @throws IllegalStateException if something does
   */
  static void check(
      RedisCommands<String, String> redis, @Nullable Duration partition, Eviction eviction) {
    for (Map.Entry<String, String> each : NEEDED.entrySet()) {
      String value = ServerCheck.config(redis, each.getKey());
      if (value != null && !value.equals(each.getValue())) {
        throw contradiction(
            "it has " + each.getKey() + " " + value,
            "Set " + each.getKey() + " " + each.getValue());
      }
    }
    if (eviction.happens()) {
      throw contradiction(
          "it drops keys when its memory is full", "Set maxmemory-policy noeviction");
    }
    if ((partition != null && !partition.isZero()) || ServerCheck.hasReplicas(redis)) {
      throw contradiction("another server may take its place", "Take one without replicas");
    }
  }

  private static IllegalStateException contradiction(String reason, String remedy) {
    return ServerCheck.refused(
        "durable() says that it loses nothing, but "
            + reason
            + ". "
            + remedy
            + ", or leave out durable()");
  }
}
