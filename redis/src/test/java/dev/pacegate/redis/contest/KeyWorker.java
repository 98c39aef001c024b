package dev.pacegate.redis.contest;

import dev.pacegate.KeyedLimiter;
import dev.pacegate.Permit;
import dev.pacegate.redis.RedisLimiters;
import io.github.bucket4j.BucketConfiguration;
import io.github.bucket4j.distributed.ExpirationAfterWriteStrategy;
import io.github.bucket4j.distributed.proxy.ProxyManager;
import io.github.bucket4j.redis.lettuce.Bucket4jLettuce;
import io.lettuce.core.RedisClient;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.codec.RedisCodec;
import io.lettuce.core.codec.StringCodec;
import java.io.BufferedOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * A process that takes permits of random keys. Arguments: the server, what takes them, how many a
 * key gets in how many seconds, how many keys there are, how many threads, for how many seconds,
 * for how many it does the same with other keys before, and a file for what was taken when. Prints
 * "ready", waits for a line, and prints "taken PERMITS keys KEYS bytes BYTES": of how many keys it
 * knows something, and how much memory that takes.
 */
final class KeyWorker {

  /** What takes permits of keys. */
  interface Taker extends AutoCloseable {

    /** Waits for a permit of that key, and ends it; returns when the peer counts it. */
    long take(int key) throws Exception;

    /** Returns of how many keys it knows something. */
    int known();
  }

  private final Taker taker;
  private final int keys;
  private final int threads;
  private final List<Taken> taken = new ArrayList<>();

  /** What a thread has taken. */
  private static final class Taken {
    final int[] keys = new int[500_000];
    final long[] instants = new long[500_000];
    int count;

    void add(int key, long instant) {
      keys[count] = key;
      instants[count++] = instant;
    }

    boolean isFull() {
      return count == keys.length;
    }
  }

  private KeyWorker(Taker taker, int keys, int threads) {
    this.taker = taker;
    this.keys = keys;
    this.threads = threads;
  }

  public static void main(String[] args) throws Exception {
    int permits = Integer.parseInt(args[2]);
    Duration interval = Duration.ofSeconds(Long.parseLong(args[3]));
    Taker taker = taker(args[1], args[0], permits, interval);
    var worker = new KeyWorker(taker, Integer.parseInt(args[4]), Integer.parseInt(args[5]));
    worker.taker.take(-1); // what is loaded and made once is none of a key's
    worker.warmUp(Duration.ofSeconds(Long.parseLong(args[7])), interval);
    long before = heap();
    System.out.println("ready");
    if (System.in.read() >= 0) {
      worker.run(Duration.ofSeconds(Long.parseLong(args[6])), 0);
      int known = taker.known();
      long bytes = heap() - before - worker.taken.size() * 6_000_000L;
      System.out.println("taken " + worker.count() + " keys " + known + " bytes " + bytes);
      worker.write(Path.of(args[8]));
      System.out.println("written");
      System.in.read();
    }
    System.exit(0);
  }

  private static Taker taker(String name, String uri, int permits, Duration interval)
      throws InterruptedException {
    String window = permits + "/" + interval.toSeconds() + "s";
    return switch (name) {
      case "starts" -> new PacegateTaker(uri, window, "");
      case "peer" -> new PacegateTaker(uri, "peer(" + window + ", unanswered=1s)", "");
      case "within" ->
          new PacegateTaker(
              uri, "peer(" + window + ", unanswered=1s)", "peer(20000/1s, unanswered=1s)");
      case "bucket4j" -> new Bucket4jTaker(uri, permits, interval);
      default -> throw new IllegalArgumentException(name);
    };
  }

  /** Returns the memory that is in use. */
  static long heap() throws InterruptedException {
    for (int i = 0; i < 3; i++) {
      System.gc();
      Thread.sleep(100); // references are cleared by other threads
    }
    Runtime runtime = Runtime.getRuntime();
    return runtime.totalMemory() - runtime.freeMemory();
  }

  private void warmUp(Duration duration, Duration interval) throws InterruptedException {
    if (!duration.isZero()) {
      run(duration, keys);
      taken.clear();
      Thread.sleep(interval.toMillis() + 5_000); // its keys are at rest then
    }
  }

  private void run(Duration duration, int firstKey) throws InterruptedException {
    long end = System.nanoTime() + duration.toNanos();
    var all = new ArrayList<Thread>();
    for (int i = 0; i < threads; i++) {
      var of = new Taken();
      taken.add(of);
      var thread = new Thread(() -> takeUntil(end, firstKey, of));
      thread.setDaemon(true);
      thread.start();
      all.add(thread);
    }
    for (Thread thread : all) {
      thread.join(Math.max(1, (end - System.nanoTime()) / 1_000_000));
    }
  }

  private void takeUntil(long end, int firstKey, Taken of) {
    var random = new SplittableRandom();
    try {
      while (end - System.nanoTime() > 0 && !of.isFull()) {
        int key = firstKey + random.nextInt(keys);
        of.add(key, taker.take(key));
      }
    } catch (Exception e) {
      throw new IllegalStateException(e); // the thread ends and says so
    }
  }

  private long count() {
    return taken.stream().mapToLong(of -> of.count).sum();
  }

  private void write(Path file) throws IOException {
    try (var out = new DataOutputStream(new BufferedOutputStream(Files.newOutputStream(file)))) {
      for (Taken of : taken) {
        for (int i = 0; i < of.count; i++) {
          out.writeInt(of.keys[i]);
          out.writeLong(of.instants[i]);
        }
      }
    }
  }

  /** Pacegate. */
  private static final class PacegateTaker implements Taker {
    private final RedisLimiters redis;
    private final KeyedLimiter<Integer> limiter;

    PacegateTaker(String uri, String perKey, String within) throws InterruptedException {
      redis = LimitWorker.connect(RedisLimiters.builder(uri).fresh());
      KeyedLimiter.Builder builder = redis.keyed("keys", perKey);
      if (!within.isEmpty()) {
        builder.within(redis.limiter("all", within));
      }
      limiter = builder.build();
    }

    @Override
    public long take(int key) throws Exception {
      try (Permit permit = limiter.limiter(key).acquire(1)) {
        long counted = permit.releasedAt();
        permit.answered();
        return counted;
      }
    }

    @Override
    public int known() {
      return limiter.size();
    }

    @Override
    public void close() {
      limiter.close();
      redis.close();
    }
  }

  /** Bucket4j over Lettuce, by compare and swap. Its keys expire when their bucket is full. */
  private static final class Bucket4jTaker implements Taker {
    private final RedisClient client;
    private final ProxyManager<String> buckets;
    private final BucketConfiguration configuration;

    Bucket4jTaker(String uri, int permits, Duration interval) {
      client = RedisClient.create(uri);
      buckets =
          Bucket4jLettuce.casBasedBuilder(
                  client.connect(RedisCodec.of(StringCodec.UTF8, ByteArrayCodec.INSTANCE)))
              .expirationAfterWrite(
                  ExpirationAfterWriteStrategy.basedOnTimeForRefillingBucketUpToMax(
                      Duration.ofSeconds(1)))
              .build();
      configuration =
          BucketConfiguration.builder()
              .addLimit(limit -> limit.capacity(permits).refillGreedy(permits, interval))
              .build();
    }

    @Override
    public long take(int key) throws Exception {
      buckets.builder().build("key:" + key, () -> configuration).asBlocking().consume(1);
      return System.nanoTime();
    }

    @Override
    public int known() {
      return 0;
    }

    @Override
    public void close() {
      client.shutdown();
    }
  }
}
