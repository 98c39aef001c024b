package dev.pacegate.redis.contest;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.redis.rig.PeerProcess;
import dev.pacegate.redis.rig.RedisServer;
import dev.pacegate.redis.rig.Version;
import dev.pacegate.time.Durations;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Writes docs/measured/cluster-numbers.md: what contenders let through, and what they ask of the
 * server.
 */
@Tag("idle")
@Timeout(1200)
class FiguresTest {

  private static final Path PAGE = Path.of("..", "docs", "measured", "cluster-numbers.md");
  private static final int PROCESSES = 4;
  private static final int THREADS = 12;
  private static final Pattern CALLS = Pattern.compile("calls=(\\d+)");

  private final List<String> rows = new ArrayList<>();

  /** How a contender is called on the page, and how many replicas the server has. */
  private record Entrant(String name, Class<?> worker, String variant, int replicas) {

    boolean isPacegate() {
      return worker == PacegateWorker.class;
    }
  }

  private static final Entrant PACEGATE =
      new Entrant("Pacegate, `peer`", PacegateWorker.class, "fresh", 0);
  private static final Entrant REPLICATED =
      new Entrant("Pacegate, `peer`, one replica", PacegateWorker.class, "fresh", 1);
  private static final List<Entrant> ALL =
      List.of(
          PACEGATE,
          REPLICATED,
          new Entrant("Bucket4j, Lettuce, greedy", Bucket4jWorker.class, "greedy", 0),
          new Entrant("Bucket4j, Lettuce, intervally", Bucket4jWorker.class, "intervally", 0),
          new Entrant("Redisson", RedissonWorker.class, "", 0));

  @Test
  void writeThePage() throws Exception {
    for (Entrant entrant : ALL) {
      measure(entrant, 100, Duration.ofSeconds(1), Duration.ofSeconds(20));
    }
    for (Entrant entrant : ALL) {
      measure(entrant, 1000, Duration.ofSeconds(10), Duration.ofSeconds(50));
    }
    measure(PACEGATE, 1000, Duration.ofMinutes(1), Duration.ofSeconds(150));
    measure(REPLICATED, 1000, Duration.ofMinutes(1), Duration.ofSeconds(150));
    if (Boolean.getBoolean("pacegate.write")) {
      Files.writeString(PAGE, page());
    }
    System.out.println(page());
  }

  private void measure(Entrant entrant, int most, Duration interval, Duration duration)
      throws Exception {
    try (var redis = RedisServer.start(Version.V6_2);
        var replica = RedisServer.start(Version.V6_2);
        var peer = PeerProcess.start(1)) {
      var load =
          new Load(
              redis.uri(),
              "api",
              most,
              interval,
              peer.port(),
              0,
              THREADS,
              duration,
              entrant.variant);
      if (entrant.replicas > 0) {
        replica.follow(redis);
        replica.awaitInStep(redis);
      }
      double cpuBefore = cpu(redis);
      Contest.Result result = Contest.run(entrant.worker, PROCESSES, peer, load);
      double seconds = cpu(redis) - cpuBefore;
      long calls = calls(redis);
      assertTrue(result.failed() == 0, result::toString);
      if (entrant.isPacegate()) {
        assertTrue(result.peer().most() <= most, result::toString);
        assertTrue(result.peer().perSecond() >= leastRate(most, interval), result::toString);
        assertTrue(result.peer().count() >= leastPerCall(interval) * calls, result::toString);
      }
      rows.add(row(entrant, result, calls, seconds));
    }
  }

  /**
   * Of M/(I + E + answer), with answers of 40 ms: nine tenths at an interval of a second, otherwise
   * 97 of 100.
   */
  private static double leastRate(int most, Duration interval) {
    double seconds = interval.toMillis() / 1e3;
    double use = Math.min(2, seconds / 4);
    return (seconds > 1 ? 0.97 : 0.9) * most / (seconds + use + 0.04);
  }

  private static int leastPerCall(Duration interval) {
    return interval.toSeconds() > 1 ? 20 : 6;
  }

  private static String row(Entrant entrant, Contest.Result result, long calls, double seconds) {
    var peer = result.peer();
    return String.format(
        Locale.ROOT,
        "| %d/%s | %s | %d | %.1f | %d | %.1f | %.0f |%n",
        result.load().most(),
        Durations.format(result.load().interval().toNanos()),
        entrant.name,
        peer.most(),
        peer.perSecond(),
        peer.mostOvertaken(),
        (double) peer.count() / calls,
        peer.count() / seconds);
  }

  private String page() {
    return """
        # One limit for many processes: figures

        Made by one run of `FiguresTest`, on Redis 6.2: %d processes of %d threads each send all they may to a peer in a process of its own, which counts and answers after 20 to 60 ms.
        *Worst* is the most that the peer has counted in any interval, *overtaken* by how many later requests one was overtaken at most. Calls are those of scripts, reports of ends included; Bucket4j also calls GET. Each begins with a burst; Pacegate's fence is left out (`fresh()`).
        With a replica, Pacegate's calls end when the replica has them (`WAIT`); the CPU is the primary's.

        ![Most that the peer counted in a second, for each limiter](cluster-numbers.svg)

        | limit | | worst | permits a second | overtaken by | permits a script call | permits a CPU second of Redis |
        |---|---|---|---|---|---|---|
        """
            .formatted(PROCESSES, THREADS)
        + String.join("", rows);
  }

  private static double cpu(RedisServer redis) throws IOException {
    return Double.parseDouble(Objects.requireNonNull(redis.info("cpu", "used_cpu_user")))
        + Double.parseDouble(Objects.requireNonNull(redis.info("cpu", "used_cpu_sys")));
  }

  /** How many scripts were called. */
  private static long calls(RedisServer redis) throws IOException {
    long calls = 0;
    for (String command : List.of("evalsha", "eval")) {
      String statistics = redis.info("commandstats", "cmdstat_" + command);
      Matcher found = CALLS.matcher(statistics == null ? "" : statistics);
      calls += found.find() ? Long.parseLong(found.group(1)) : 0;
    }
    return calls;
  }
}
