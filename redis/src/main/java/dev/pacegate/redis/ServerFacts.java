package dev.pacegate.redis;

import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.api.async.RedisAsyncCommands;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What a server says of itself.
 *
 * @param server the section of INFO, as the next two
 * @param settings those of {@link #SETTINGS} that may be asked
 */
record ServerFacts(String server, String replication, String memory, Map<String, String> settings) {

  static final String BACKLOG_TTL = "repl-backlog-ttl";
  static final String MIN_REPLICAS = "min-replicas-to-write";

  private static final List<String> SETTINGS =
      List.of(BACKLOG_TTL, MIN_REPLICAS, "appendonly", "appendfsync", "no-appendfsync-on-rewrite");

  /**
   * Asks a server, without waiting.
   *
   * @return fails with an {@link UnfitServerException} if the server refuses INFO
   */
  static CompletionStage<ServerFacts> ask(RedisAsyncCommands<String, String> redis) {
    CompletableFuture<String> server = info(redis, "server");
    CompletableFuture<String> replication = info(redis, "replication");
    CompletableFuture<String> memory = info(redis, "memory");
    CompletionStage<Map<String, String>> settings = settings(redis);
    return server
        .thenCombine(replication, List::of)
        .thenCombine(
            memory, (two, third) -> new ServerFacts(two.get(0), two.get(1), third, Map.of()))
        .thenCombine(settings, ServerFacts::with);
  }

  private ServerFacts with(Map<String, String> known) {
    return new ServerFacts(server, replication, memory, known);
  }

  private static CompletableFuture<String> info(
      RedisAsyncCommands<String, String> redis, String section) {
    return redis
        .info(section)
        .toCompletableFuture()
        .exceptionally(
            failure -> {
              throw failure instanceof RedisCommandExecutionException
                  ? UnfitServerException.because(
                      "it refuses INFO, by which a restart is seen: "
                          + failure.getMessage()
                          + ". The user needs +info, under this name")
                  : RedisFailures.unchecked(failure);
            });
  }

  private static CompletionStage<Map<String, String>> settings(
      RedisAsyncCommands<String, String> redis) {
    CompletionStage<Map<String, String>> all = CompletableFuture.completedFuture(Map.of());
    for (String name : SETTINGS) {
      all = all.thenCombine(setting(redis, name), ServerFacts::joined);
    }
    return all;
  }

  // What may not be asked is not known.
  private static CompletionStage<Map<String, String>> setting(
      RedisAsyncCommands<String, String> redis, String name) {
    return redis
        .configGet(name)
        .exceptionally(
            failure -> {
              if (failure instanceof RedisCommandExecutionException) {
                return Map.of();
              }
              throw RedisFailures.unchecked(failure);
            });
  }

  private static Map<String, String> joined(Map<String, String> some, Map<String, String> others) {
    var all = new HashMap<>(some);
    all.putAll(others);
    return all;
  }

  /** Returns a setting; null if it may not be asked. */
  @Nullable String setting(String name) {
    return settings.get(name);
  }

  /** Returns which run of the server this is. */
  String run() {
    return field(server, "run_id");
  }

  /** Returns how it runs, such as "standalone" or "cluster". */
  String mode() {
    return field(server, "redis_mode");
  }

  boolean isReplica() {
    return !field(replication, "role").equals("master");
  }

  /** Returns whether it has replicas now. */
  boolean hasReplicas() {
    return !field(replication, "connected_slaves").equals("0");
  }

  /** Returns a field of a section of INFO; empty if it is not there. */
  static String field(String info, String name) {
    Matcher line = Pattern.compile("(?m)^" + name + ":(\\S*)").matcher(info);
    return line.find() ? line.group(1) : "";
  }
}
