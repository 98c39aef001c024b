package dev.pacegate.benchmarks;

import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.LoadingCache;
import dev.pacegate.KeyedLimiter;
import dev.pacegate.Limiter;
import dev.pacegate.time.ManualTime;
import io.github.bucket4j.Bucket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.function.Supplier;

/** How much memory a key takes that has used one permit, and what is left of it afterwards. */
final class KeyMemory {

  private static final int FULL_KEYS = 5_000;

  private static final Duration DAY = Duration.ofDays(1);

  private static final Duration PATIENCE = Duration.ofMinutes(2);

  /** What one way of keeping keys takes. */
  record Row(String name, String settings, double bytesPerKey) {}

  /** What a key takes that has used all its permits, one after another or evenly over a day. */
  record Full(String limit, double atOnce, double spread) {}

  /** What is left when a limiter has forgotten all keys by itself. */
  record Rest(double bytesPerKey, double seconds) {}

  private final Long[] keys;
  private final List<Row> rows = new ArrayList<>();
  private final List<Full> full = new ArrayList<>();
  private Rest rest = new Rest(0, 0);

  KeyMemory(int keys) {
    this.keys = new Long[keys];
    for (int i = 0; i < keys; i++) {
      this.keys[i] = (long) i;
    }
  }

  int keys() {
    return keys.length;
  }

  List<Row> rows() {
    return rows;
  }

  List<Full> full() {
    return full;
  }

  Rest rest() {
    return rest;
  }

  void measure() throws InterruptedException {
    pacegate("Pacegate, window", "10/1d");
    pacegate("Pacegate, bucket", "bucket(10/1d, burst=10)");
    pacegate("Pacegate, window within a limit for all", "10/1d", "1000000000/1d");
    grouped("Pacegate, window within one of many groups", "10/1d", "1000000/1d", "1000000000/1d");
    measure("Bucket4j and Caffeine", "10 per day, `expireAfterAccess`", KeyMemory::bucket4j);
    for (String limit : new String[] {"1000/1d", "peer(1000/1d)", "peer(10/1d)"}) {
      System.out.println("memory: full key of " + limit);
      full.add(new Full(limit, full(limit, Duration.ZERO), full(limit, DAY)));
    }
    rest = returned();
  }

  /** Uses all permits of some keys, evenly within {@code spread}. */
  private static double full(String limit, Duration spread) throws InterruptedException {
    int permits = Integer.parseInt(limit.replaceAll("peer\\(|/.*", ""));
    ManualTime time = ManualTime.manual();
    Limiter all = Limiter.builder("unlimited").time(time).build();
    KeyedLimiter<Integer> keyed = KeyedLimiter.builder(limit).within(all).build();
    useFully(keyed, time, permits, Duration.ZERO, -1, 0); // what is made once
    long before = used();
    useFully(keyed, time, permits, spread, 0, FULL_KEYS);
    double each = (used() - before) / (double) FULL_KEYS;
    if (keyed.size() != FULL_KEYS + 1) {
      throw new IllegalStateException(keyed.size() + " keys are known");
    }
    keyed.close();
    return each;
  }

  private static void useFully(
      KeyedLimiter<Integer> keyed,
      ManualTime time,
      int permits,
      Duration spread,
      int from,
      int to) {
    for (int i = 0; i < permits; i++) {
      for (int key = from; key < to; key++) {
        keyed.tryAcquire(key).orElseThrow().answered();
      }
      time.advance(spread.dividedBy(permits + 1L).plusNanos(1_000)); // two never share an instant
    }
  }

  private void pacegate(String name, String limit) throws InterruptedException {
    measure(name, "`" + limit + "`", () -> tries(KeyedLimiter.of(limit)));
  }

  private void pacegate(String name, String limit, String all) throws InterruptedException {
    String settings = "`" + limit + "` within `" + all + "`";
    measure(name, settings, () -> tries(KeyedLimiter.builder(limit).within(all).build()));
  }

  /** A hundred keys to a group; the memory of the groups is counted, too. */
  private void grouped(String name, String limit, String group, String all)
      throws InterruptedException {
    String settings = "`" + limit + "` within `" + group + "` within `" + all + "`";
    long groups = Math.max(1, keys.length / 100);
    measure(
        name,
        settings,
        () -> {
          KeyedLimiter<Long> known = KeyedLimiter.builder(group).within(all).build();
          return tries(KeyedLimiter.builder(limit).within(known, (Long k) -> k % groups).build());
        });
  }

  private static Predicate<Long> tries(KeyedLimiter<Long> limiter) {
    return key -> limiter.tryAcquire(key).isPresent();
  }

  /** The way its documentation has it for one machine: a bucket for each key, in a cache. */
  private static Predicate<Long> bucket4j() {
    LoadingCache<Long, Bucket> buckets =
        Caffeine.newBuilder()
            .maximumSize(10_000_000)
            .expireAfterAccess(Duration.ofDays(1))
            .build(
                key ->
                    Bucket.builder()
                        .addLimit(limit -> limit.capacity(10).refillGreedy(10, Duration.ofDays(1)))
                        .build());
    return key -> buckets.get(key).tryConsume(1);
  }

  private void measure(String name, String settings, Supplier<Predicate<Long>> maker)
      throws InterruptedException {
    System.out.println("memory: " + name);
    long before = used();
    Predicate<Long> tries = maker.get();
    useEachOnce(tries);
    long after = used();
    if (!tries.test(keys[0])) { // and so it is still in use
      throw new IllegalStateException(name + " has refused the second request of a key");
    }
    rows.add(new Row(name, settings, (after - before) / (double) keys.length));
  }

  private void useEachOnce(Predicate<Long> tries) {
    for (Long key : keys) {
      if (!tries.test(key)) {
        throw new IllegalStateException("refused the first request of a key");
      }
    }
  }

  private Rest returned() throws InterruptedException {
    System.out.println("memory: after full refill");
    long before = used();
    KeyedLimiter<Long> limiter = KeyedLimiter.of("1/1s");
    useEachOnce(tries(limiter));
    long began = System.nanoTime();
    while (limiter.size() > 0) {
      if (System.nanoTime() - began > PATIENCE.toNanos()) {
        throw new IllegalStateException(limiter.size() + " keys were not forgotten");
      }
      Thread.sleep(10); // until they are at rest, which takes a second
    }
    double seconds = (System.nanoTime() - began) / 1e9;
    long after = used();
    limiter.close();
    return new Rest((after - before) / (double) keys.length, seconds);
  }

  /** Returns the bytes in use once collecting garbage finds no more. */
  private static long used() throws InterruptedException {
    Runtime runtime = Runtime.getRuntime();
    long least = Long.MAX_VALUE;
    for (int same = 0; same < 3; ) {
      System.gc();
      Thread.sleep(50); // for what is freed by other threads
      long used = runtime.totalMemory() - runtime.freeMemory();
      same = used < least - 10_000 ? 0 : same + 1;
      least = Math.min(least, used);
    }
    return least;
  }
}
