package dev.pacegate.benchmarks.classics;

import static dev.pacegate.benchmarks.Text.code;
import static dev.pacegate.benchmarks.Text.format;
import static dev.pacegate.benchmarks.Text.limit;
import static dev.pacegate.benchmarks.Text.millis;
import static dev.pacegate.benchmarks.Text.number;

import com.google.common.util.concurrent.RateLimiter;
import dev.pacegate.benchmarks.Text;
import dev.pacegate.benchmarks.classics.GuavaTrials.Count;
import dev.pacegate.benchmarks.classics.GuavaTrials.Left;
import dev.pacegate.benchmarks.classics.GuavaTrials.Polled;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** The part for users of Guava's {@code RateLimiter}. */
final class GuavaPart {

  private static final String BURSTY = Pair.bursty(5);

  private final int speed; // so many times faster than its documentation's examples
  private final boolean quick;

  GuavaPart(boolean quick) {
    this.quick = quick;
    this.speed = quick ? 10 : 1;
  }

  /** Returns the version of the library that is compared with. */
  static String version() {
    try (InputStream pom =
        RateLimiter.class.getResourceAsStream(
            "/META-INF/maven/com.google.guava/guava/pom.properties")) {
      var properties = new Properties();
      properties.load(pom);
      return properties.getProperty("version");
    } catch (IOException failure) {
      throw new IllegalStateException(failure);
    }
  }

  void write(Text text) throws Exception {
    text.lines("", "## Guava's `RateLimiter`");
    translate(text);
    Duration second = Duration.ofMillis(quick ? 200 : 1_000);
    List<Count> saturated = GuavaTrials.saturate(second);
    // What sleeps for most of its time may do so together.
    ExecutorService threads = Executors.newCachedThreadPool();
    try {
      List<Future<Pair.Waits>> same = submit(threads, same());
      Future<Pair.Waits> slow = threads.submit(GuavaDifferences.SLOW::once);
      Future<Polled> polled = threads.submit(() -> GuavaTrials.poll(quick ? 100 : 10));
      Future<Left> left = threads.submit(GuavaTrials::leave);
      Future<GuavaTrials.Stored> stored = threads.submit(GuavaTrials::store);
      Future<GuavaTrials.Forgiven> forgiven = threads.submit(GuavaTrials::forgive);
      same(text, all(same));
      better(text, saturated, polled.get(), left.get(), stored.get());
      GuavaDifferences.write(text, slow.get(), stored.get(), forgiven.get());
    } finally {
      threads.shutdownNow();
    }
  }

  private static List<Future<Pair.Waits>> submit(ExecutorService threads, List<Pair> pairs) {
    return pairs.stream()
        .map(pair -> threads.submit((Callable<Pair.Waits>) pair::measure))
        .toList();
  }

  private static List<Pair.Waits> all(List<Future<Pair.Waits>> futures) throws Exception {
    var all = new ArrayList<Pair.Waits>();
    for (Future<Pair.Waits> future : futures) {
      all.add(future.get());
    }
    return all;
  }

  private static void translate(Text text) {
    text.table("Guava", "Pacegate", "notes")
        .row(code("RateLimiter.create(5)"), limit(BURSTY), "Pass it to `Limiter.of(\"...\")`.")
        .row(
            code("create(2, 4, SECONDS)"),
            limit("warmup(2/1s, over=4s)"),
            "By default, `cold=3`, as in Guava.")
        .row(code("create(POSITIVE_INFINITY)"), limit("unlimited"), "")
        .row(
            code("acquire()"),
            code("acquire()"),
            "It returns a permit. Its method `waited()` returns how long the call waited.")
        .row(code("acquire(3)"), code("acquire(3)"), "")
        .row(
            code("tryAcquire(3, 1, SECONDS)"),
            code("tryAcquire(3, ofSeconds(1))"),
            "It returns an `Optional<Permit>`.")
        .row(
            code("setRate(10)"),
            code("setLimit(\"...\")"),
            "Pass " + limit(Pair.bursty(10)) + ". Waiting calls are rescheduled immediately.")
        .row(code("getRate()"), code("limit()"), "It returns the limit as a value.")
        .row("no equivalent", limit("10/1m"), "Use this if the peer allows at most 10 a minute.")
        .row(
            "no equivalent",
            limit("bucket(5/1s)"),
            "This gives an even pace, because nothing is saved up.")
        .lines(
            "",
            "`debt` sets how far a request may overdraw the bucket. The limiter rejects a request larger than burst + debt, so choose",
            "a `debt` as large as your largest request.");
  }

  // ---- the same

  private List<Pair> same() {
    double five = 5.0 * speed;
    double two = 2.0 * speed;
    Duration over = Duration.ofMillis(4_000 / speed);
    return List.of(
        new Pair("create(%.0f)".formatted(five), five, Duration.ZERO, "1 1 1 1"),
        new Pair("create(%.0f)".formatted(five), five, Duration.ZERO, "1 U2 1 1 1 1 1 1 1 1"),
        new Pair("create(%.0f)".formatted(five), five, Duration.ZERO, "5 1 3 1 1"),
        new Pair(
            "create(%.0f)".formatted(five),
            five,
            Duration.ZERO,
            "1 1 1 =%.0f 1 2 1 1".formatted(2 * five)),
        new Pair(
            "create(%.0f, %d ms)".formatted(two, over.toMillis()), two, over, "1 1 1 1 1 1 1 1"),
        new Pair(
            "create(%.0f, %d ms)".formatted(two, over.toMillis()),
            two,
            over,
            "3 3 1 U%.2f 1 1 1 1".formatted(5.0 / speed)),
        new Pair(
            "create(%.0f, %d ms)".formatted(two, over.toMillis()),
            two,
            over,
            "1 1 1 =%.0f 1 1 1 1 1".formatted(2 * two)));
  }

  private static void same(Text text, List<Pair.Waits> all) {
    text.lines(
        "",
        "### The same",
        "",
        "The table shows the waits that `acquire` returned, in seconds of real time. In the steps, `3` acquires three permits, `U2` sleeps for two seconds,",
        "and `=10` sets the rate to ten. (Guava returns the wait that it planned, and Pacegate the wait that it measured. If a thread lost its",
        "processor for a quarter of an interval, the run is repeated, at most twice.)");
    text.table("Guava", "steps", "Guava waited", "Pacegate waited");
    for (Pair.Waits waits : all) {
      text.row(
          code(waits.pair().old()),
          code(waits.pair().steps()),
          Pair.Waits.text(waits.guava()),
          Pair.Waits.text(waits.ours()));
    }
    double most = all.stream().mapToDouble(Pair.Waits::difference).max().orElseThrow();
    text.lines("")
        .claim(
            all.stream().allMatch(Pair.Waits::same),
            format("The waits differ by at most %.0f ms", most * 1e3))
        .lines(
            "",
            "The build also compares the two in virtual time: it runs the numbered cases of Guava's own test suite, and long random series of",
            "calls against a model of Guava, which is itself checked against the library.");
  }

  // ---- better

  private void better(
      Text text, List<Count> saturated, Polled polled, Left left, GuavaTrials.Stored stored) {
    text.lines(
        "",
        "### Better",
        "",
        "**Pacegate's rates are exact.** Guava calculates in whole microseconds. In this test, a thread calls `tryAcquire()` in a loop; *allowed* includes one permit that is available immediately,",
        "and then permits at the given rate. (If the thread wasn't running when its time was up, the run is repeated up to two times.)");
    text.table("rate", "period", "Guava granted", "Pacegate granted", "allowed");
    for (Count count : saturated) {
      text.row(
          count.what(),
          millis(count.ours().nanos()),
          number(count.guava().granted()),
          number(count.ours().granted()),
          number(count.allowed()));
    }
    text.lines("");
    for (Count count : saturated) {
      text.claim(
          count.isOursExact(),
          format(
              "%s: Guava granted %.2f times as many permits as its rate allows, and Pacegate %.4f times as many",
              count.what(), count.guavaShare(), count.oursShare()));
    }
    text.lines(
        "",
        format(
            "**A limiter that is only polled still warms up** (guava#3552). With `create(%d, %d ms)` and a `tryAcquire()` every %d ms,",
            polled.perSecond(), polled.overMillis(), polled.everyMillis()),
        format(
            "Guava granted %d of %d calls, and Pacegate granted %d. Guava treats the gap between two polls as idle time, in which the limiter cools. In Pacegate, it cools only if the gap",
            polled.guava(), polled.polls(), polled.ours()),
        "is longer than one interval.",
        "");
    text.claim(
        polled.ours() > polled.guava(),
        format(
            "Pacegate granted %.1f times as many calls", (double) polled.ours() / polled.guava()));
    text.lines(
        "",
        "**You choose the burst.** Guava saves up one second's permits, and starts with none saved. The table shows the permits available at once:");
    text.table("", "limit", "at first", "after 1.5 s idle");
    text.row("Guava", code("create(10)"), stored.guavaFirst(), stored.guavaIdle());
    stored.ours().forEach(row -> text.row("Pacegate", limit(row.limit()), row.first(), row.idle()));
    text.lines(
        "",
        format(
            "**A caller that gives up uses no quota.** At 2/s, a waiting thread is interrupted after %s. Guava's `acquire` returned after",
            millis(left.interruptedNanos())),
        format(
            "%s, its permit was used, and the next caller waited %s. Pacegate threw `InterruptedException` after %s, and the next",
            millis(left.guavaNanos()), millis(left.guavaNextNanos()), millis(left.oursNanos())),
        format("caller waited %s.", millis(left.oursNextNanos())),
        "");
    text.claim(
        left.oursNanos() < left.guavaNanos() && left.oursNextNanos() < left.guavaNextNanos(),
        "Pacegate returned sooner, and the next caller waited less");
    text.lines(
        "",
        "Other advantages: futures wait in the same queue (`acquireAsync`); you can count and pause waiting callers and put them into lanes; tests",
        "don't sleep (`ManualTime`).");
  }
}
