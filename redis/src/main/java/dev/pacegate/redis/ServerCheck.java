package dev.pacegate.redis;

import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.api.sync.RedisCommands;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Refuses servers with which the promise cannot be kept. */
final class ServerCheck {

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

  private static String info(RedisCommands<String, String> redis, String section) {
    try {
      return redis.info(section);
    } catch (RedisCommandExecutionException e) {
      throw new IllegalStateException(
          "this server cannot share limits: the user must be allowed to call INFO, by which a"
              + " restart is seen: "
              + e.getMessage(),
          e);
    }
  }

  private static String field(String info, String name) {
    Matcher line = Pattern.compile("(?m)^" + name + ":(\\S*)").matcher(info);
    return line.find() ? line.group(1) : "";
  }

  private static void require(boolean kept, String reason) {
    if (!kept) {
      throw refused(reason);
    }
  }

  private static IllegalStateException refused(String reason) {
    return new IllegalStateException("this server cannot share limits: " + reason);
  }
}
