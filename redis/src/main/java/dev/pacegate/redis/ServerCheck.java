package dev.pacegate.redis;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Refuses servers with which the promise cannot be kept. */
final class ServerCheck {

  static final String CLUSTER = "cluster";
  static final String STANDALONE = "standalone";

  private static final long ADOPTED = 60; // seconds, as in epochs.lua

  private ServerCheck() {}

  /**
   * Looks at the server.
   *
   * @param mode in which it is to run
   * @throws UnfitServerException if it cannot keep the promise
   */
  static void check(ServerFacts facts, String mode) {
    checkVersion(ServerFacts.field(facts.server(), "redis_version"));
    if (facts.mode().equals(CLUSTER) && !mode.equals(CLUSTER)) {
      throw UnfitServerException.ofCluster();
    }
    require(facts.mode().equals(mode), "a server in " + facts.mode() + " mode is not supported");
    if (facts.isReplica()) {
      throw UnfitServerException.replica();
    }
  }

  private static void checkVersion(String version) {
    Matcher numbers = Pattern.compile("(\\d+)\\.(\\d+)\\..*").matcher(version);
    boolean known =
        numbers.matches()
            && Integer.parseInt(numbers.group(1)) * 100 + Integer.parseInt(numbers.group(2)) >= 602;
    require(known, "Redis 6.2 or later is needed, not " + version);
  }

  /**
   * Checks for how long a server with replicas remembers under which id it replicated before: by
   * that a promotion is told from a first replica that is added. A server that may not be asked is
   * believed.
   */
  static void requireMemoryOfPromotions(ServerFacts facts) {
    String seconds = facts.setting(ServerFacts.BACKLOG_TTL);
    boolean isShort = seconds != null && !seconds.equals("0") && Long.parseLong(seconds) < ADOPTED;
    require(
        !isShort || !facts.hasReplicas(),
        "it has replicas, and with repl-backlog-ttl "
            + seconds
            + " a server that was replaced and came back might not be seen. Set repl-backlog-ttl "
            + ADOPTED
            + " or more, or 0");
  }

  private static void require(boolean kept, String reason) {
    if (!kept) {
      throw UnfitServerException.because(reason);
    }
  }
}
