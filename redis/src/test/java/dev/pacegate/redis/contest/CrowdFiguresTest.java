package dev.pacegate.redis.contest;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.redis.rig.Child;
import dev.pacegate.redis.rig.RedisServer;
import dev.pacegate.redis.rig.Version;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Writes docs/measured/cluster-crowd.md: the more keys wait in one process, the more get permits.
 */
@Timeout(900)
class CrowdFiguresTest {

  private static final Path PAGE = Path.of("..", "docs", "measured", "cluster-crowd.md");
  private static final Duration LONGEST = Duration.ofMinutes(2);
  private static final Pattern CALLS = Pattern.compile("calls=(\\d+)");
  private static final int PERMITS = 10; // of each key, at once
  private static final String LIMIT = PERMITS + "/10s";
  private static final int THREADS = 16;
  private static final int MANY = 100_000;

  /** So a machine with much else to do has time enough; what stands takes longer than that. */
  private static final int LONG = 120;

  /**
   * What was seen.
   *
   * @param taken the permits of each second
   * @param calls of scripts
   */
  private record Seen(int keys, List<Integer> taken, long calls) {
    int permits() {
      return taken.stream().mapToInt(Integer::intValue).sum();
    }

    double callsAPermit() {
      return (double) calls / permits();
    }

    /** Returns the first second by whose end all units that were free at first are taken. */
    String allTakenAfter() {
      int sum = 0;
      for (int i = 0; i < taken.size(); i++) {
        sum += taken.get(i);
        if (sum >= PERMITS * keys) {
          return i + 1 + " s";
        }
      }
      return "";
    }

    String row() {
      return String.format(
          Locale.ROOT,
          "| %,d | %,d | %s | %,d | %,d | %.2f |%n",
          keys,
          (long) PERMITS * keys,
          allTakenAfter(),
          permits(),
          calls,
          callsAPermit());
    }
  }

  @Test
  @Tag("heavy")
  void writeThePage() throws Exception {
    var rows = new StringBuilder();
    for (int keys : new int[] {100, 500, 1_000, 2_000, 4_000, 10_000}) {
      rows.append(run(keys, 15, 0).row());
    }
    Seen threads = run(MANY, 15, THREADS);
    String page = page(rows.toString(), threads);
    if (Boolean.getBoolean("pacegate.write")) {
      Files.writeString(PAGE, page);
    }
    System.out.println(page);
  }

  /** Far more than were once served at all: a server that has time for it serves them all. */
  @Test
  @Tag("servers")
  void aCrowdOfKeysGetsAllThatIsFree() throws Exception {
    int keys = 4_000;
    Seen seen = run(keys, LONG, 0, PERMITS * keys);
    System.out.println(seen);
    assertTrue(seen.permits() >= PERMITS * keys, () -> "" + seen);
    assertTrue(seen.callsAPermit() <= 0.2, () -> "" + seen);
  }

  /** Threads that wait share calls, each for another key. */
  @Test
  @Tag("servers")
  void sixteenThreadsMakeACallForTwoPermits() throws Exception {
    Seen seen = run(MANY, LONG, THREADS, 10_000);
    System.out.println(seen);
    assertTrue(seen.permits() >= 10_000, () -> "" + seen);
    assertTrue(seen.callsAPermit() <= 0.5, () -> "" + seen);
  }

  private static Seen run(int keys, int seconds, int threads) throws Exception {
    return run(keys, seconds, threads, Integer.MAX_VALUE);
  }

  /** Watches for so many seconds, or until there are so many permits. */
  private static Seen run(int keys, int seconds, int threads, int enough) throws Exception {
    try (var server = RedisServer.start(Version.V6_2);
        var worker =
            Child.start(
                List.of("-Xmx1g"),
                CrowdWorker.class,
                server.uri(),
                LIMIT,
                "" + keys,
                "" + seconds,
                "" + threads)) {
      worker.line("ready", LONGEST);
      worker.write("go");
      var taken = new ArrayList<Integer>();
      int sum = 0;
      while (taken.size() < seconds && sum < enough) {
        taken.add(Integer.valueOf(worker.line("taken ", LONGEST)));
        sum += taken.get(taken.size() - 1);
      }
      long calls = calls(server, "evalsha") + calls(server, "eval");
      return new Seen(keys, taken, calls);
    }
  }

  private static long calls(RedisServer server, String command) throws IOException {
    String statistics = server.info("commandstats", "cmdstat_" + command);
    Matcher found = CALLS.matcher(statistics == null ? "" : statistics);
    return found.find() ? Long.parseLong(found.group(1)) : 0;
  }

  private static String page(String rows, Seen threads) {
    return String.format(
        Locale.ROOT,
        """
        # Many keys wait in one process: figures

        Made by one run of `CrowdFiguresTest`, on Redis 6.2: one process with a limit of `%s` for each key. A request of each key waits all the time, for 15 seconds.
        At first %d permits of each key are free, and then one a second. Calls are those of scripts.

        | keys | free at first | all of them taken within | permits in 15 s | calls | calls a permit |
        |---|---|---|---|---|---|
        %s
        %d threads that take permits of %,d keys, one after the other: %,d permits in 15 s, %.2f calls a permit.
        """,
        LIMIT,
        PERMITS,
        rows,
        THREADS,
        MANY,
        threads.permits(),
        threads.callsAPermit());
  }
}
