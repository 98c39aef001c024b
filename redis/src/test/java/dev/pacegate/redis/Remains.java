package dev.pacegate.redis;

import dev.pacegate.redis.rig.Await;
import dev.pacegate.redis.rig.RedisServer;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/** What clients leave behind: threads of this process, and connections to a server. */
final class Remains {

  private static final Duration LONGEST = Duration.ofSeconds(60);

  /** The timer of all limiters, which stays, and what belongs to the test itself. */
  private static final List<String> OTHERS =
      List.of("pacegate-timer", "process reaper", "proxy", "ForkJoinPool", "Attach Listener");

  private final Set<Thread> before = new HashSet<>(threads());

  private static Set<Thread> threads() {
    return Thread.getAllStackTraces().keySet();
  }

  /**
   * Waits until no thread is left that was not there when this object was made, and no connection
   * to the server; a server that is away has none.
   */
  void assertNone(RedisServer server) throws InterruptedException {
    Await.until(() -> "no thread is left, but " + left(), LONGEST, () -> left().isEmpty());
    if (server.isAlive()) {
      Await.until(
          () -> "no connection is left, but " + list(server),
          LONGEST,
          () -> connections(server) == 0);
    }
  }

  private List<String> left() {
    return threads().stream()
        .filter(thread -> !before.contains(thread))
        .map(Thread::getName)
        .filter(name -> OTHERS.stream().noneMatch(name::startsWith))
        .toList();
  }

  private static String list(RedisServer server) {
    try {
      return String.valueOf(server.command("CLIENT", "LIST"));
    } catch (Exception e) {
      return e.toString();
    }
  }

  /** Returns how many there are but those that ask, and those of replicas. */
  private static long connections(RedisServer server) throws Exception {
    return Stream.of(String.valueOf(server.command("CLIENT", "LIST")).split("\n"))
        .filter(line -> !line.contains(" cmd=client") && line.contains(" flags=N "))
        .count();
  }
}
