package dev.pacegate.benchmarks.classics;

import static dev.pacegate.benchmarks.Text.code;
import static dev.pacegate.benchmarks.Text.format;
import static dev.pacegate.benchmarks.Text.limit;
import static dev.pacegate.benchmarks.Text.number;

import dev.pacegate.Limiter;
import dev.pacegate.benchmarks.Text;
import dev.pacegate.time.ManualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/** The part for users of {@code throttle} in Akka and Pekko streams. */
final class PekkoPart {

  private static final long SECOND = 1_000_000_000;
  private static final int BURST = 10;

  /**
   * Offers to a bucket: {@code 5} costs five, {@code @30} moves the clock to 30 ns after the
   * origin.
   */
  private record Offers(String what, long burst, long nanos, long origin, String steps) {

    String limit() {
      return "bucket(1/%dns, burst=%d)".formatted(nanos, Math.max(1, burst));
    }

    List<Long> theirs() {
      var bucket = new PekkoBucket(burst, nanos, origin);
      var delays = new ArrayList<Long>();
      for (String step : steps.split(" ", -1)) {
        if (step.startsWith("@")) {
          bucket.moveTo(origin + Long.parseLong(step.substring(1)));
        } else {
          delays.add(bucket.offer(Long.parseLong(step)));
        }
      }
      return delays;
    }

    List<Long> ours() throws InterruptedException {
      var time = ManualTime.selfAdvancing(origin);
      Limiter limiter = Limiter.builder(limit()).time(time).build();
      var waits = new ArrayList<Long>();
      for (String step : steps.split(" ", -1)) {
        if (step.startsWith("@")) {
          long until = origin + Long.parseLong(step.substring(1)) - time.nanoTime();
          time.advanceNanos(Math.max(0, until));
        } else {
          waits.add(limiter.acquire(Long.parseLong(step)).waited().toNanos());
        }
      }
      return waits;
    }
  }

  void write(Text text) throws InterruptedException {
    text.lines("", "## `throttle` of Akka and Pekko streams");
    translate(text);
    same(text);
    better(text);
    different(text);
  }

  private static void translate(Text text) {
    text.table("`throttle`", "Pacegate", "notes")
        .row(
            code("throttle(10, 1.second)"),
            limit("bucket(10/1s)"),
            "`throttle` sets the burst automatically, to the number of elements allowed in a tenth of a second, but at least 1.")
        .row(
            code("throttle(100, 1.second)"),
            limit("bucket(100/1s, burst=10)"),
            "`throttle` sets this burst, too.")
        .row(
            code("throttle(10, 1.second, 5, Shaping)"),
            limit("bucket(10/1s, burst=5)"),
            "Use `acquire` or a `Throttler`.")
        .row(
            code("throttle(10, 1.second, 5, Enforcing)"),
            limit("bucket(10/1s, burst=5)"),
            "Use `tryAcquire`. If the rate is exceeded, it returns an empty `Optional`; Pekko throws a `RateExceededException`.")
        .row(
            code("throttle(500, 1.second, 50, costFn, mode)"),
            limit("bucket(500/1s, burst=50)"),
            "Use `acquire(cost)`.")
        .row(
            code("throttle(1, 100.millis, 1, mode)"),
            limit("spacing(100ms)"),
            "Use this if you want a gap between elements; see below.")
        .row("a burst of 0", limit("bucket(10/1s)"), "See below.")
        .row(
            "one limit for several streams",
            "one `Limiter`",
            "Pass the same limiter to all streams.")
        .lines(
            "",
            "The [benchmarks](measured/benchmarks.md) measure how evenly Pekko and Pacegate send elements in real time.");
  }

  private static final List<Offers> SAME =
      List.of(
          new Offers("starts full", 10, 1, 0, "1 1 1 7 3"),
          new Offers("waits for missing tokens", 10, 2, 0, "5 5 5"),
          new Offers("", 8, 3, 0, "5 5 @6 3"),
          new Offers("a cost above the burst", 10, 2, 0, "5 20 @30 1 @34 1 1"),
          new Offers("elements at exactly the rate", 1, 10, 0, "1 @10 1 @20 1 @30 1 @40 1"),
          new Offers("idle time saves up tokens, at most the burst", 10, 1, 0, "10 @100000 20"),
          new Offers("a negative clock", 10, 1, -100, "5 10 @10 5"),
          new Offers("a clock that wraps", 10, 1, Long.MAX_VALUE - 5, "5 10 @10 5"),
          new Offers("a cost of 0", 10, 1, 0, "0 0 0 10 0 0 0"));

  private static void same(Text text) throws InterruptedException {
    text.lines(
        "",
        "### The same",
        "",
        "These are the cases from the tests of Pekko's own bucket (`org.apache.pekko.util.TokenBucket`, which `throttle` uses), run on a manual",
        "clock. In the steps, `5` offers an element that costs five, and `@6` moves the clock to 6 ns.");
    text.table("case", "burst, ns per token", "steps", "Pekko delays", "Pacegate waits");
    boolean same = true;
    for (Offers offers : SAME) {
      List<Long> theirs = offers.theirs();
      List<Long> ours = offers.ours();
      same &= theirs.equals(ours);
      text.row(
          offers.what(),
          offers.burst() + ", " + offers.nanos(),
          code(offers.steps()),
          join(theirs),
          join(ours));
    }
    text.lines("").claim(same, "All delays are the same");
  }

  private static String join(List<Long> numbers) {
    return String.join(" ", numbers.stream().map(String::valueOf).toList());
  }

  // ---- better

  private static void better(Text text) throws InterruptedException {
    text.lines(
        "",
        "### Better",
        "",
        "**Pacegate's rates are exact.** Pekko divides the interval into whole nanoseconds per element and rounds down. The table shows the",
        "results with an endless supply of elements, on a manual clock:");
    text.table(
        "rate", "period", "Pekko sent", "Pacegate sent", "allowed: burst + period / interval");
    boolean exact = true;
    for (long[] rate : new long[][] {{3, 10}, {600_000_000, SECOND}, {7, SECOND}}) {
      long nanos = rate[1] == 10 ? 10_000 : rate[0] == 7 ? 1_000 * SECOND : 100_000;
      long allowed = BURST + Math.multiplyExact(nanos - 1, rate[0]) / rate[1];
      long theirs = theirSupply(rate[0], rate[1], nanos);
      String limit =
          "bucket(%d/%s, burst=%d)".formatted(rate[0], rate[1] == 10 ? "10ns" : "1s", BURST);
      long ours = ourSupply(limit, nanos);
      exact &= ours == allowed;
      text.row(limit(limit), number(nanos) + " ns", number(theirs), number(ours), number(allowed));
    }
    text.lines("").claim(exact, "Pacegate sent exactly as many elements as its limit allows");
    gap(text);
    overflow(text);
    text.lines(
        "",
        "Other advantages: if you change the limit, waiting elements are rescheduled; cancelled elements use no quota; elements don't",
        "wait for a timer that ticks every 10 ms.");
  }

  private static long theirSupply(long elements, long per, long nanos) {
    PekkoBucket bucket = PekkoBucket.throttle(elements, per, BURST);
    long sent = 0;
    long now = bucket.offer(1);
    while (now < nanos) {
      sent++;
      bucket.moveTo(now);
      now += bucket.offer(1);
    }
    return sent;
  }

  private static long ourSupply(String limit, long nanos) throws InterruptedException {
    var time = ManualTime.selfAdvancing();
    Limiter limiter = Limiter.builder(limit).time(time).build();
    long sent = 0;
    limiter.acquire();
    while (time.nanoTime() < nanos) {
      sent++;
      limiter.acquire();
    }
    return sent;
  }

  private static void gap(Text text) throws InterruptedException {
    var offers = new Offers("", 1, 100, 0, "1 @250 1 @260 1");
    List<Long> theirs = sent(offers.theirs());
    List<Long> ours = sent(offers.ours());
    text.lines(
        "",
        "**A burst of 1 guarantees a gap.** The limit is one per 100 ns; elements are offered at 0, 250 and 260 ns:");
    text.table("", "limit", "sent at");
    text.row("Pekko", code("throttle(1, 100.nanos, 1, Shaping)"), join(theirs));
    text.row("Pacegate", limit("bucket(1/100ns)"), join(ours));
    text.row("Pacegate", limit("spacing(100ns)"), join(spaced()));
    text.lines("")
        .claim(
            theirs.get(2) - theirs.get(1) < 100
                && ours.get(2) - ours.get(1) >= 100
                && ours.equals(spaced()),
            format(
                "Pekko sent two elements %d ns apart, and Pacegate sent them %d ns apart",
                theirs.get(2) - theirs.get(1), ours.get(2) - ours.get(1)));
  }

  private static List<Long> sent(List<Long> delays) {
    return List.of(delays.get(0), 250 + delays.get(1), 260 + delays.get(2));
  }

  private static List<Long> spaced() throws InterruptedException {
    var time = ManualTime.selfAdvancing();
    Limiter limiter = Limiter.builder("spacing(100ns)").time(time).build();
    var sent = new ArrayList<Long>();
    for (long at : new long[] {0, 250, 260}) {
      time.advanceNanos(Math.max(0, at - time.nanoTime()));
      limiter.acquire();
      sent.add(time.nanoTime());
    }
    return sent;
  }

  private static void overflow(Text text) {
    long nanos = Duration.ofDays(300).toNanos();
    long cost = 356;
    long theirs = new PekkoBucket(0, nanos, 0).offer(cost);
    Limiter limiter = Limiter.builder("bucket(1/300d)").time(ManualTime.manual()).build();
    Duration ours = limiter.estimateWait(cost);
    Duration longest = limiter.estimateWait(Long.MAX_VALUE);
    text.lines(
        "",
        format(
            "**Long waits don't overflow.** At a rate of one per 300 days, a cost of %d overflows Pekko's bucket: the wait is %s ns, so the element is sent at",
            cost, number(theirs)),
        format(
            "once. Pacegate's wait is %s days. For a cost of `Long.MAX_VALUE`, it is %s days, the longest possible wait.",
            number(ours.toDays()), number(longest.toDays())),
        "");
    text.claim(
        theirs < 0 && ours.toDays() == 300 * (cost - 1),
        "Pekko's delay is negative, and Pacegate's is right");
  }

  // ---- different

  private static void different(Text text) throws InterruptedException {
    var none = new Offers("", 0, 2, 0, "10 @40 10");
    Grid grid = Grid.compare();
    text.lines("", "### Different on purpose");
    text.table("what", "Pekko", "Pacegate", "why");
    text.row(
        "tokens",
        "Tokens arrive at fixed times, one per interval.",
        format(
            "Tokens arrive continuously. In %s random offers, Pacegate's wait was never shorter than Pekko's, at most %.3f intervals longer, and the same in %s cases.",
            number(grid.offers()), grid.latest(), number(grid.same())),
        "Fixed times allow burst + 1 elements in less than one interval (see the gap above). In any period, Pacegate sends at most burst + period / interval elements.");
    text.row(
        "a burst of 0, with the steps " + code(none.steps()),
        join(none.theirs()),
        join(none.ours()) + " with " + limit("bucket(1/2ns)"),
        "The smallest burst is 1. To start with an empty bucket, write "
            + limit("bucket(1/2ns, initial=empty)")
            + ".");
    text.row(
        "`Enforcing`",
        "It makes the stream fail.",
        "`tryAcquire` returns empty.",
        "Your program decides what to do then.");
    text.lines("")
        .claim(
            grid.holds(),
            "Pacegate sent no element before Pekko did, and every element less than one interval after Pekko");
  }

  /** Random offers to both, the next when ours has let the last go. */
  private record Grid(long offers, long same, double latest, boolean holds) {

    static Grid compare() throws InterruptedException {
      var random = new SplittableRandom(12);
      long offers = 0;
      long same = 0;
      double latest = 0;
      boolean holds = true;
      for (long burst : new long[] {1, 5, 10}) {
        for (long nanos : new long[] {3, 5, 100}) {
          var bucket = new PekkoBucket(burst, nanos, 0);
          var time = ManualTime.selfAdvancing();
          Limiter limiter =
              Limiter.builder("bucket(1/%dns, burst=%d)".formatted(nanos, burst))
                  .time(time)
                  .build();
          for (int i = 0; i < 5_000; i++) {
            time.advanceNanos(random.nextLong(3 * nanos));
            long cost = random.nextLong(2 * burst + 1);
            bucket.moveTo(time.nanoTime());
            long theirs = bucket.offer(cost);
            long later = limiter.acquire(cost).waited().toNanos() - theirs;
            offers++;
            same += later == 0 ? 1 : 0;
            latest = Math.max(latest, (double) later / nanos);
            holds &= later >= 0 && later < nanos;
          }
        }
      }
      return new Grid(offers, same, latest, holds);
    }
  }
}
