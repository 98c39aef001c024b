package dev.pacegate.benchmarks.classics;

import com.google.common.util.concurrent.RateLimiter;
import dev.pacegate.Limiter;
import dev.pacegate.Permit;
import dev.pacegate.benchmarks.Text;
import dev.pacegate.limit.Limit;
import dev.pacegate.limit.Limits;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** Where Guava and ours differ, measured on both in real time. */
final class GuavaTrials {

  private static final double SECOND = 1e9;
  private static final int ATTEMPTS = 3;

  private GuavaTrials() {}

  // ---- a rate is what it says

  /** What endless demand got. */
  record Got(long granted, long nanos) {
    static Got of(BooleanSupplier limiter, long began, long nanos) {
      long granted = 0;
      long now = began;
      for (; now - began < nanos; now = System.nanoTime()) {
        granted += limiter.getAsBoolean() ? 1 : 0;
      }
      return new Got(granted, now - began);
    }
  }

  /** What endless demand got from both. */
  record Count(String what, double perSecond, Got guava, Got ours) {
    /** Returns what ours may let through: the first at once, then one per interval. */
    long allowed() {
      return 1 + (long) (ours.nanos() * perSecond / SECOND);
    }

    double guavaShare() {
      return share(guava);
    }

    double oursShare() {
      return share(ours);
    }

    private double share(Got got) {
      return got.granted() / (1 + got.nanos() * perSecond / SECOND);
    }

    /** Never above; below only for as long as the thread has had no processor at the end. */
    boolean isOursExact() {
      return ours.granted() <= allowed() && ours.granted() >= 0.9 * allowed() - 1;
    }
  }

  static List<Count> saturate(Duration span) {
    saturate(1_000_000); // classes are loaded
    return saturate(span.toNanos());
  }

  private static List<Count> saturate(long nanos) {
    var counts = new ArrayList<Count>();
    for (long perSecond : new long[] {80_000, 1_000_001, 2_000_000}) {
      String rate = Text.number(perSecond) + "/s";
      counts.add(
          count(
              rate, perSecond, () -> RateLimiter.create(perSecond), Pair.bursty(perSecond), nanos));
    }
    counts.add(
        count(
            "100/s, warm-up of 999 ns",
            100,
            () -> RateLimiter.create(100, Duration.ofNanos(999)),
            "warmup(100/1s, over=999ns)",
            nanos / 2));
    return counts;
  }

  /** Once more, and once again, if the thread has had no processor when time was up. */
  private static Count count(
      String what, double perSecond, Supplier<RateLimiter> old, String limit, long nanos) {
    for (int attempt = 1; ; attempt++) {
      Got guava = Got.of(old.get()::tryAcquire, System.nanoTime(), nanos);
      var count = new Count(what, perSecond, guava, ours(limit, nanos));
      if (count.isOursExact() || attempt == ATTEMPTS) {
        return count;
      }
    }
  }

  private static Got ours(String text, long nanos) {
    Limit limit = Limits.parse(text);
    long began = System.nanoTime();
    Limiter limiter = Limiter.of(limit);
    return Got.of(() -> limiter.tryAcquire().isPresent(), began, nanos);
  }

  // ---- a limiter that is polled

  /** How many of the polls were admitted. */
  record Polled(int perSecond, int overMillis, int everyMillis, int polls, int guava, int ours) {}

  static Polled poll(int perSecond) throws InterruptedException {
    int overMillis = 5_000 / perSecond;
    int everyMillis = 1_200 / perSecond;
    RateLimiter guava = RateLimiter.create(perSecond, Duration.ofMillis(overMillis));
    Limiter ours = Limiter.of("warmup(%d/1s, over=%dms)".formatted(perSecond, overMillis));
    int polls = 100;
    int guavas = 0;
    int oursAdmitted = 0;
    long begin = System.nanoTime();
    for (int i = 0; i < polls; i++) {
      long until = begin + i * everyMillis * 1_000_000L - System.nanoTime();
      if (until > 0) {
        Thread.sleep(Duration.ofNanos(until).toMillis(), (int) (until % 1_000_000));
      }
      guavas += guava.tryAcquire() ? 1 : 0;
      oursAdmitted += ours.tryAcquire().isPresent() ? 1 : 0;
    }
    return new Polled(perSecond, overMillis, everyMillis, polls, guavas, oursAdmitted);
  }

  // ---- interrupted callers

  /** When who was interrupted came back, and how long the next one waited. */
  record Left(
      long interruptedNanos,
      long guavaNanos,
      long guavaNextNanos,
      long oursNanos,
      long oursNextNanos) {}

  /** Waits for a permit, until it comes or an interrupt. */
  @FunctionalInterface
  private interface Waiting {
    void await() throws InterruptedException;
  }

  static Left leave() throws Exception {
    long patience = Duration.ofMillis(100).toNanos();
    RateLimiter guava = RateLimiter.create(2);
    guava.acquire();
    long guavaNanos = interrupted(guava::acquire, patience);
    long guavaNext = taken(guava::acquire);
    Limiter ours = Limiter.of(Pair.bursty(2));
    ours.acquire();
    long oursNanos = interrupted(ours::acquire, patience);
    long oursNext = taken(ours::acquire);
    return new Left(patience, guavaNanos, guavaNext, oursNanos, oursNext);
  }

  private static long interrupted(Waiting waiting, long patience) throws Exception {
    var task = new FutureTask<Long>(() -> taken(waiting));
    var thread = new Thread(task);
    thread.start();
    Thread.sleep(Duration.ofNanos(patience).toMillis());
    thread.interrupt();
    return task.get();
  }

  private static long taken(Waiting waiting) {
    long began = System.nanoTime();
    try {
      waiting.await();
    } catch (InterruptedException expected) {
      // what is measured is when
    }
    return System.nanoTime() - began;
  }

  // ---- what is saved up

  /** How many went at once under one of our limits. */
  record Row(String limit, int first, int idle) {}

  /** How many went at once. */
  record Stored(int guavaFirst, int guavaIdle, int guavaDoubled, int oursDoubled, List<Row> ours) {}

  static Stored store() throws InterruptedException {
    var limits =
        List.of(
            "bucket(10/1s, burst=10, pay=later, initial=empty)",
            "bucket(10/1s, burst=3)",
            "bucket(10/1s, burst=3, initial=empty)",
            "bucket(10/1s)");
    RateLimiter guava = RateLimiter.create(10);
    RateLimiter doubled = RateLimiter.create(10);
    List<Limiter> ours = limits.stream().map(Limiter::of).toList();
    Limiter oursDoubled = Limiter.of(Pair.bursty(10));
    int first = atOnce(guava::tryAcquire);
    List<Integer> firsts = ours.stream().map(GuavaTrials::atOnce).toList();
    Thread.sleep(1_500);
    int idle = atOnce(guava::tryAcquire);
    List<Integer> idles = ours.stream().map(GuavaTrials::atOnce).toList();
    doubled.setRate(20);
    int guavaDoubled = atOnce(doubled::tryAcquire);
    oursDoubled.setLimit(Pair.bursty(20));
    int oursAfter = atOnce(oursDoubled);
    var rows = new ArrayList<Row>();
    for (int i = 0; i < limits.size(); i++) {
      rows.add(new Row(limits.get(i), firsts.get(i), idles.get(i)));
    }
    return new Stored(first, idle, guavaDoubled, oursAfter, rows);
  }

  private static int atOnce(Limiter limiter) {
    return atOnce(() -> limiter.tryAcquire().isPresent());
  }

  private static int atOnce(BooleanSupplier limiter) {
    int granted = 0;
    while (limiter.getAsBoolean()) {
      granted++;
    }
    return granted;
  }

  // ---- a change to no limit

  /** How long the next waited. */
  record Forgiven(long debtNanos, long guavaNanos, long oursNanos) {}

  static Forgiven forgive() throws InterruptedException {
    RateLimiter guava = RateLimiter.create(10);
    guava.acquire(5);
    guava.setRate(Double.POSITIVE_INFINITY);
    long guavaNanos = taken(guava::acquire);
    Limiter ours = Limiter.of(Pair.bursty(10));
    Permit permit = ours.acquire(5);
    permit.answered();
    ours.setLimit("unlimited");
    return new Forgiven(500_000_000, guavaNanos, taken(ours::acquire));
  }
}
