package dev.pacegate.benchmarks.classics;

import static dev.pacegate.benchmarks.Text.format;

import com.google.common.util.concurrent.RateLimiter;
import dev.pacegate.Limiter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * The same calls in real time, on a limiter of Guava's and on one of ours.
 *
 * @param old how Guava's is made
 * @param perSecond its rate
 * @param warmUp its warm-up, 0 for none
 * @param steps {@code 3} acquires three, {@code U0.2} sleeps, {@code =40} sets the rate
 */
record Pair(String old, double perSecond, Duration warmUp, String steps) {

  private static final int ATTEMPTS = 3;

  /** What the calls of {@code acquire} said, in seconds. */
  record Waits(Pair pair, List<Double> guava, List<Double> ours) {

    double difference() {
      double most = 0;
      for (int i = 0; i < guava.size(); i++) {
        most = Math.max(most, Math.abs(guava.get(i) - ours.get(i)));
      }
      return most;
    }

    boolean same() {
      return difference() <= pair.tolerance();
    }

    static String text(List<Double> waits) {
      return String.join(" ", waits.stream().map(wait -> format("%.2f", wait)).toList());
    }
  }

  /** A quarter of the shortest interval. */
  double tolerance() {
    double fastest = perSecond;
    for (String step : steps.split(" ", -1)) {
      if (step.startsWith("=")) {
        fastest = Math.max(fastest, Double.parseDouble(step.substring(1)));
      }
    }
    return 1 / fastest / 4;
  }

  String limit() {
    return limit(perSecond);
  }

  private String limit(double rate) {
    if (rate < 1) {
      return format("bucket(1/%.0fs, pay=later, debt=100, initial=empty)", 1 / rate);
    }
    return warmUp.isZero()
        ? bursty(Math.round(rate))
        : format("warmup(%.0f/1s, over=%dms)", rate, warmUp.toMillis());
  }

  /** Returns the limit that stands for {@code RateLimiter.create(perSecond)}. */
  static String bursty(long perSecond) {
    return format("bucket(%1$d/1s, burst=%1$d, pay=later, debt=100, initial=empty)", perSecond);
  }

  /** Does it; once more, and once again, if a thread has lost its processor on the way. */
  Waits measure() throws InterruptedException {
    for (int attempt = 1; ; attempt++) {
      Waits waits = once();
      if (waits.same() || attempt == ATTEMPTS) {
        return waits;
      }
    }
  }

  /** Does it once, where both need not say the same. */
  Waits once() throws InterruptedException {
    var guava = new ArrayList<Double>();
    var ours = new ArrayList<Double>();
    var thread = new Thread(() -> ours(ours), "ours");
    thread.start();
    guava(guava);
    thread.join();
    return new Waits(this, guava, ours);
  }

  private void guava(List<Double> waits) throws InterruptedException {
    RateLimiter limiter =
        warmUp.isZero() ? RateLimiter.create(perSecond) : RateLimiter.create(perSecond, warmUp);
    for (String step : steps.split(" ", -1)) {
      switch (step.charAt(0)) {
        case 'U' -> sleep(step);
        case '=' -> limiter.setRate(Double.parseDouble(step.substring(1)));
        default -> waits.add(limiter.acquire(Integer.parseInt(step)));
      }
    }
  }

  private void ours(List<Double> waits) {
    Limiter limiter = Limiter.of(limit());
    try {
      for (String step : steps.split(" ", -1)) {
        switch (step.charAt(0)) {
          case 'U' -> sleep(step);
          case '=' -> limiter.setLimit(limit(Double.parseDouble(step.substring(1))));
          default -> waits.add(limiter.acquire(Long.parseLong(step)).waited().toNanos() / 1e9);
        }
      }
    } catch (InterruptedException unexpected) {
      throw new IllegalStateException(unexpected);
    }
  }

  private static void sleep(String step) throws InterruptedException {
    Thread.sleep(Math.round(Double.parseDouble(step.substring(1)) * 1e3));
  }
}
