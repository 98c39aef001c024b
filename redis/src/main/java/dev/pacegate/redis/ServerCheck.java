package dev.pacegate.redis;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisException;
import io.lettuce.core.api.sync.RedisCommands;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Refuses servers with which the promise cannot be kept. */
final class ServerCheck {

  private static final long ADOPTED = 60; // seconds, as in record.lua

  private ServerCheck() {}

  /**
   * Looks at the server.
   *
   * @throws IllegalStateException if it cannot keep the promise
   */
  static void check(RedisCommands<String, String> redis) {
    String server = info(redis, "server");
    checkVersion(field(server, "redis_version"));
    require(
        field(server, "redis_mode").equals("standalone"),
        "a server in " + field(server, "redis_mode") + " mode is not supported");
    require(
        field(info(redis, "replication"), "role").equals("master"),
        "a replica cannot count: connect to its primary");
  }

  private static void checkVersion(String version) {
    Matcher numbers = Pattern.compile("(\\d+)\\.(\\d+)\\..*").matcher(version);
    boolean known =
        numbers.matches()
            && Integer.parseInt(numbers.group(1)) * 100 + Integer.parseInt(numbers.group(2)) >= 602;
    require(known, "Redis 6.2 or later is needed, not " + version);
  }

  /** Returns whether the server has replicas now. */
  static boolean hasReplicas(RedisCommands<String, String> redis) {
    return !field(info(redis, "replication"), "connected_slaves").equals("0");
  }

  /**
   * Checks for how long a server with replicas remembers under which id it replicated before: by
   * that a promotion is told from a first replica that is added. A server that may not be asked is
   * believed.
   */
  static void requireMemoryOfPromotions(RedisCommands<String, String> redis) {
    String seconds = config(redis, "repl-backlog-ttl");
    boolean isShort = seconds != null && !seconds.equals("0") && Long.parseLong(seconds) < ADOPTED;
    require(
        !isShort || !hasReplicas(redis),
        "it has replicas, and with repl-backlog-ttl "
            + seconds
            + " a server that was replaced and came back might not be seen. Set repl-backlog-ttl "
            + ADOPTED
            + " or more, or 0");
  }

  /** Returns a setting; null if it may not be asked. */
  static @Nullable String config(RedisCommands<String, String> redis, String name) {
    try {
      return redis.configGet(name).get(name);
    } catch (RedisCommandExecutionException notAllowed) {
      return null;
    }
  }

  /**
   * Refuses a client whose addresses are those of Sentinel, which it does not tell: what answers
   * there does. The address of a server leads to that server.
   */
  static void requireNoSentinel(RedisClient client) {
    require(
        !leadsToSentinel(client),
        "its client asks Redis Sentinel for it, which is not supported: take an address that moves"
            + " to the new primary");
  }

  private static boolean leadsToSentinel(RedisClient client) {
    try (var connection = client.connectSentinel()) {
      return field(connection.sync().info("server"), "redis_mode").equals("sentinel");
    } catch (RedisException unknown) {
      return false;
    }
  }

  static String info(RedisCommands<String, String> redis, String section) {
    try {
      return redis.info(section);
    } catch (RedisCommandExecutionException e) {
      throw new IllegalStateException(
          "this server cannot share limits: it refuses INFO, by which a restart is seen: "
              + e.getMessage()
              + ". The user needs +info, under this name",
          e);
    }
  }

  static String field(String info, String name) {
    Matcher line = Pattern.compile("(?m)^" + name + ":(\\S*)").matcher(info);
    return line.find() ? line.group(1) : "";
  }

  private static void require(boolean kept, String reason) {
    if (!kept) {
      throw refused(reason);
    }
  }

  static IllegalStateException refused(String reason) {
    return new IllegalStateException("this server cannot share limits: " + reason);
  }
}
