package dev.pacegate.redis.contest;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.KeyedLimiter;
import dev.pacegate.redis.RedisLimiters;
import dev.pacegate.redis.rig.Await;
import dev.pacegate.redis.rig.Child;
import dev.pacegate.redis.rig.RedisServer;
import dev.pacegate.redis.rig.Version;
import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Writes docs/measured/cluster-keys-numbers.md: many keys, over several processes. */
@Timeout(2700) // the page takes a quarter of an hour
class KeyFiguresTest {

  private static final Path PAGE = Path.of("..", "docs", "measured", "cluster-keys-numbers.md");
  private static final int PROCESSES = 4;
  private static final int THREADS = 16;
  private static final int PERMITS = 10;
  private static final int FEW = 1_000; // keys, which take less than what else comes and goes
  private static final Duration LONGEST = Duration.ofMinutes(2);
  private static final Pattern CALLS = Pattern.compile("calls=(\\d+)");
  private static final Pattern TAKEN = Pattern.compile("(\\d+) keys (\\d+) bytes (-?\\d+)");

  @TempDir Path folder;
  private final List<String> rows = new ArrayList<>();
  private final List<Child> workers = new ArrayList<>();

  /** What is measured. */
  private record Run(
      String name,
      String taker,
      int keys,
      int interval,
      int seconds,
      int processes,
      int warmUp,
      boolean isReplicated) {}

  /** What processes have taken together. */
  private record Total(long permits, long known, long bytes) {}

  @Test
  @Tag("heavy")
  void writeThePage() throws Exception {
    for (int keys : new int[] {100_000, 100}) {
      for (String taker : List.of("starts", "peer", "within", "bucket4j")) {
        measure(new Run(name(taker), taker, keys, 30, 15, PROCESSES, 30, false));
      }
    }
    String name = name("peer") + ", with a replica";
    measure(new Run(name, "peer", 100_000, 30, 15, PROCESSES, 30, true));
    String page = page() + million();
    if (Boolean.getBoolean("pacegate.write")) {
      Files.writeString(PAGE, page);
    }
    System.out.println(page);
  }

  /** Keys are gone from server and process once a new one would decide the same. */
  @Test
  @Tag("servers")
  void idleKeysAreGone() throws Exception {
    try (var server = RedisServer.start(Version.V6_2);
        var redis =
            RedisLimiters.builder(server.uri()).fresh().secret("a secret of all nodes").connect();
        var keys = redis.keyed("keys", "peer(10/1s, unanswered=1s)").<Integer>build()) {
      try (var held = keys.acquire(0)) { // so that one key is there, however long this takes
        takeAll(keys, 1_000);
        assertTrue(stored(server) > 1, () -> "no key");
        held.answered();
      }
      Await.until(() -> keys.size() + " keys", LONGEST, () -> keys.size() == 0);
      Await.until("no key is stored", LONGEST, () -> stored(server) == 1); // but the record
    }
  }

  private static void takeAll(KeyedLimiter<Integer> keys, int count) throws Exception {
    var free = new Semaphore(500);
    for (int key = 0; key < count; key++) {
      free.acquire();
      var unused =
          keys.callAsync(key, () -> CompletableFuture.completedFuture("answer"))
              .whenComplete((answer, failure) -> free.release());
    }
    free.acquire(500);
  }

  private static long stored(RedisServer server) throws IOException {
    return Long.parseLong("" + server.command("DBSIZE"));
  }

  private String million() throws Exception {
    int count = 1_000_000;
    try (var server = RedisServer.start(Version.V6_2);
        var redis =
            RedisLimiters.builder(server.uri()).fresh().secret("a secret of all nodes").connect();
        var keys =
            redis.keyed("keys", "peer(10/1h, unanswered=1s)").maxKeys(count).<Integer>build()) {
      takeAll(keys, 1);
      long before = memory(server);
      long heap = KeyWorker.heap();
      long began = System.nanoTime();
      takeAll(keys, count);
      double seconds = (System.nanoTime() - began) / 1e9;
      return String.format(
          Locale.ROOT,
          """

          A million keys of `peer(10/1h)`, each used once, by one process: %.0f keys a second, %d bytes a key in Redis, %d in the process.
          """,
          count / seconds,
          (memory(server) - before) / stored(server),
          (KeyWorker.heap() - heap) / keys.size());
    }
  }

  @Test
  @Tag("servers")
  void noKeyPassesItsLimit() throws Exception {
    measure(new Run(name("within"), "within", 30, 1, 2, 3, 0, false));
    System.out.println(page());
  }

  private static String name(String taker) {
    return switch (taker) {
      case "starts" -> "Pacegate, `10/30s`";
      case "peer" -> "Pacegate, `peer(10/30s)`";
      case "within" -> "the same, within `peer(20000/1s)`";
      default -> "Bucket4j, Lettuce, 10 in 30 s";
    };
  }

  private void measure(Run run) throws Exception {
    try (var redis = RedisServer.start(Version.V6_2);
        var replica = run.isReplicated ? RedisServer.start(Version.V6_2) : null) {
      if (replica != null) {
        replica.follow(redis);
        replica.awaitInStep(redis);
      }
      List<Path> files = start(run, redis);
      double cpu = cpu(redis);
      long memory = memory(redis);
      boolean ours = !run.taker.equals("bucket4j");
      long calls = calls(redis, ours);
      Total total = total(run);
      double seconds = cpu(redis) - cpu;
      long made = calls(redis, ours) - calls;
      long stored = stored(redis);
      long bytes = memory(redis) - memory;
      for (Child worker : workers) {
        worker.line("written", LONGEST);
      }
      int worst = worst(files, Duration.ofSeconds(run.interval));
      rows.add(row(run, total, made, seconds, stored, bytes, worst));
      assertTrue(!ours || worst <= PERMITS, () -> run + ": " + worst);
    } finally {
      for (Child worker : workers) {
        worker.close();
      }
      workers.clear();
    }
  }

  private List<Path> start(Run run, RedisServer redis) throws Exception {
    var files = new ArrayList<Path>();
    for (int i = 0; i < run.processes; i++) {
      files.add(folder.resolve(run.taker + run.keys + "." + i));
      workers.add(
          Child.start(
              List.of("-Xmx2g"),
              KeyWorker.class,
              redis.uri(),
              run.taker,
              "" + PERMITS,
              "" + run.interval,
              "" + run.keys,
              "" + THREADS,
              "" + run.seconds,
              "" + run.warmUp,
              files.get(i).toString()));
    }
    for (Child worker : workers) {
      worker.line("ready", LONGEST);
    }
    return files;
  }

  private Total total(Run run) throws Exception {
    for (Child worker : workers) {
      worker.write("go");
    }
    long permits = 0;
    long known = 0;
    long bytes = 0;
    for (Child worker : workers) {
      Matcher line = TAKEN.matcher(worker.line("taken ", Duration.ofSeconds(run.seconds + 60)));
      assertTrue(line.find());
      permits += Long.parseLong(line.group(1));
      known += Long.parseLong(line.group(2));
      bytes += Long.parseLong(line.group(3));
    }
    return new Total(permits, known, bytes);
  }

  /** Returns the most of any key in any interval, of all processes together. */
  private static int worst(List<Path> files, Duration interval) throws IOException {
    Map<Integer, List<Long>> taken = new HashMap<>();
    for (Path file : files) {
      try (var in = new DataInputStream(new BufferedInputStream(Files.newInputStream(file)))) {
        while (true) {
          taken.computeIfAbsent(in.readInt(), key -> new ArrayList<>()).add(in.readLong());
        }
      } catch (EOFException end) {
        Files.delete(file);
      }
    }
    return taken.values().stream().mapToInt(instants -> most(instants, interval)).max().orElse(0);
  }

  private static int most(List<Long> instants, Duration interval) {
    long[] sorted = instants.stream().mapToLong(each -> each).toArray();
    Arrays.sort(sorted);
    int most = 0;
    int first = 0;
    for (int last = 0; last < sorted.length; last++) {
      while (sorted[last] - sorted[first] >= interval.toNanos()) {
        first++;
      }
      most = Math.max(most, last - first + 1);
    }
    return most;
  }

  private static String row(
      Run run, Total total, long calls, double cpu, long stored, long bytes, int worst) {
    return String.format(
        Locale.ROOT,
        "| %,d | %s | %d of %d | %.0f | %.2f | %.0f | %s | %s |%n",
        run.keys,
        run.name,
        worst,
        PERMITS,
        (double) total.permits / run.seconds,
        (double) calls / total.permits,
        total.permits / cpu,
        stored < Math.max(run.keys / 2, FEW) ? "" : String.valueOf(bytes / stored),
        total.known < FEW ? "" : String.valueOf(total.bytes / total.known));
  }

  private String page() {
    return """
        # A limit for each of many keys: figures

        Made by one run of `KeyFiguresTest`, on Redis 6.2: %d processes of %d threads each take permits of random keys for 15 seconds, each thread one after the other. For 30 seconds before, they do the same with other keys, which are at rest then. *With a replica* each call waits until that has it (`WAIT`).
        *Worst* is the most that a key got in any interval. Calls are those of scripts, and Bucket4j's of GET. Bytes are what the server and the processes need more for each key that they know.

        ![Most that one key got in an interval, for each limiter](cluster-keys-numbers.svg)

        | keys | | worst | permits a second | calls a permit | permits a CPU second of Redis | bytes a key in Redis | bytes a key in a process |
        |---|---|---|---|---|---|---|---|
        """
            .formatted(PROCESSES, THREADS)
        + String.join("", rows);
  }

  private static double cpu(RedisServer redis) throws IOException {
    return Double.parseDouble(Objects.requireNonNull(redis.info("cpu", "used_cpu_user")))
        + Double.parseDouble(Objects.requireNonNull(redis.info("cpu", "used_cpu_sys")));
  }

  private static long memory(RedisServer redis) throws IOException {
    return Long.parseLong(Objects.requireNonNull(redis.info("memory", "used_memory")));
  }

  /**
   * Returns how often the contender called the server. Commands that scripts call are counted by
   * the server too: Pacegate's call GET twice, those of Bucket4j once, and before each it calls GET
   * itself.
   */
  private static long calls(RedisServer redis, boolean isOurs) throws IOException {
    return isOurs ? calls(redis, "evalsha") + calls(redis, "eval") : calls(redis, "get");
  }

  private static long calls(RedisServer redis, String command) throws IOException {
    String statistics = redis.info("commandstats", "cmdstat_" + command);
    Matcher found = CALLS.matcher(statistics == null ? "" : statistics);
    return found.find() ? Long.parseLong(found.group(1)) : 0;
  }
}
