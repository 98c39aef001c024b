package dev.pacegate.redis.growth;

import dev.pacegate.Limiter;
import dev.pacegate.redis.RedisLimiters;
import dev.pacegate.redis.rig.RedisServer;
import dev.pacegate.redis.rig.Version;
import io.lettuce.core.RedisClient;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Real limiters, each with a connection of its own, in real time. They stand for processes. */
final class RealProcesses {

  private static final int SETTLE = 3;
  private static final int SECONDS = 6;
  private static final Logger LOG = Logger.getLogger("dev.pacegate"); // kept, with its level
  private static final Pattern CALLS = Pattern.compile("calls=(\\d+)");

  /**
   * What they did.
   *
   * @param permits in a second
   * @param calls in a second
   * @param gets that the scripts made, in a second
   * @param cpu of the server for a call, in microseconds
   */
  record Result(int processes, double permits, double calls, double gets, double cpu) {}

  private record Counts(long permits, long calls, long gets, double cpu) {}

  private final RedisServer server;
  private final LongAdder permits = new LongAdder();
  private volatile boolean isOver;

  private RealProcesses(RedisServer server) {
    LOG.setLevel(Level.OFF); // each of many limiters would tell the same
    this.server = server;
  }

  /** Lets processes share one limit; each has so many requests under way or waiting. */
  static Result share(String limit, int processes, int threads) throws Exception {
    try (var server = RedisServer.start(Version.V6_2)) {
      return new RealProcesses(server).share(limit, processes, threads, server.uri());
    }
  }

  private Result share(String limit, int processes, int threads, String uri) throws Exception {
    RedisClient client = RedisClient.create(uri);
    var all = new ArrayList<RedisLimiters>();
    try {
      for (int i = 0; i < processes; i++) {
        RedisLimiters redis = RedisLimiters.builder(client).fresh().connect();
        all.add(redis);
      }
      for (RedisLimiters redis : all) {
        Limiter limiter = redis.limiter("api", limit);
        repeat(threads, () -> limiter.callAsync(RealProcesses::answer));
      }
      return measure(processes);
    } finally {
      isOver = true;
      all.forEach(RedisLimiters::close);
      client.shutdown(Duration.ZERO, Duration.ofSeconds(2));
    }
  }

  /** Lets processes take permits of random keys, as fast as they get them. */
  static Result keys(String limit, int processes, int threads, int keys) throws Exception {
    try (var server = RedisServer.start(Version.V6_2)) {
      return new RealProcesses(server).keys(limit, processes, threads, keys, server.uri());
    }
  }

  private Result keys(String limit, int processes, int threads, int keys, String uri)
      throws Exception {
    var all = new ArrayList<RedisLimiters>();
    try {
      for (int i = 0; i < processes; i++) {
        RedisLimiters redis =
            RedisLimiters.builder(uri).fresh().secret("a secret of all nodes").connect();
        all.add(redis);
        var limiters = redis.keyed("accounts", limit).<Integer>build();
        repeat(
            threads,
            () ->
                limiters.callAsync(
                    ThreadLocalRandom.current().nextInt(keys),
                    () -> CompletableFuture.completedFuture("answer")));
      }
      return measure(processes);
    } finally {
      isOver = true;
      all.forEach(RedisLimiters::close);
    }
  }

  private void repeat(int threads, Supplier<? extends CompletionStage<?>> call) {
    for (int i = 0; i < threads; i++) {
      again(call);
    }
  }

  // By another thread: what is answered at once would go ever deeper.
  private void again(Supplier<? extends CompletionStage<?>> call) {
    if (!isOver) {
      var unused =
          call.get()
              .whenCompleteAsync(
                  (answer, failure) -> {
                    permits.add(failure == null ? 1 : 0);
                    if (failure == null) {
                      again(call);
                    }
                  });
    }
  }

  private static CompletionStage<String> answer() {
    long millis = ThreadLocalRandom.current().nextLong(20, 60);
    Executor later = CompletableFuture.delayedExecutor(millis, TimeUnit.MILLISECONDS);
    return CompletableFuture.supplyAsync(() -> "answer", later);
  }

  private Result measure(int processes) throws Exception {
    TimeUnit.SECONDS.sleep(SETTLE);
    Counts before = counts();
    long began = System.nanoTime();
    TimeUnit.SECONDS.sleep(SECONDS);
    Counts after = counts();
    double seconds = (System.nanoTime() - began) / 1e9;
    long calls = after.calls - before.calls;
    return new Result(
        processes,
        (after.permits - before.permits) / seconds,
        calls / seconds,
        (after.gets - before.gets) / seconds,
        1e6 * (after.cpu - before.cpu) / Math.max(1, calls));
  }

  private Counts counts() throws IOException {
    return new Counts(
        permits.sum(),
        calls("evalsha") + calls("eval"),
        calls("get"),
        cpu("used_cpu_user") + cpu("used_cpu_sys"));
  }

  private double cpu(String name) throws IOException {
    return Double.parseDouble(Objects.requireNonNull(server.info("cpu", name)));
  }

  private long calls(String command) throws IOException {
    String statistics = server.info("commandstats", "cmdstat_" + command);
    Matcher found = CALLS.matcher(statistics == null ? "" : statistics);
    return found.find() ? Long.parseLong(found.group(1)) : 0;
  }
}
