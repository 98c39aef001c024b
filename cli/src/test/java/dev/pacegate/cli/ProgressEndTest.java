package dev.pacegate.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pacegate.Limiter;
import dev.pacegate.Permit;
import dev.pacegate.time.Durations;
import dev.pacegate.time.ManualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Whether the end that is told is the one that comes, and the rate one that there was. */
class ProgressEndTest {

  private static final Pattern LEFT = Pattern.compile(", (\\S+) left");
  private static final Pattern RATE = Pattern.compile(", ([0-9.]+)/([smh])");

  /** What was shown at an instant, in seconds since the beginning. */
  private record Shown(double at, String text) {

    double end() {
      Matcher left = LEFT.matcher(text);
      return left.find() ? at + Durations.parse(left.group(1)).toMillis() / 1e3 : Double.NaN;
    }

    double perMinute() {
      Matcher rate = RATE.matcher(text);
      if (!rate.find()) {
        return Double.NaN;
      }
      double number = Double.parseDouble(rate.group(1));
      return switch (rate.group(2)) {
        case "s" -> number * 60;
        case "m" -> number;
        default -> number / 60;
      };
    }
  }

  private final ManualTime time = ManualTime.manual();
  private final ProgressTest.Plan plan = new ProgressTest.Plan("lines");
  private final List<Shown> shown = new ArrayList<>();

  /** Does {@code total} lines one after another, each of which takes some time; returns the end. */
  private double work(String limit, int total, double secondsEach) {
    plan.total = total;
    try (Limiter limiter = Limiter.builder(limit).time(time).executor(Runnable::run).build()) {
      var progress = new Progress(limiter, plan);
      long began = time.nanoTime();
      CompletionStage<Permit> next = request(limiter);
      long free = Long.MIN_VALUE; // when the present line is done
      for (int step = 1; ; ) {
        if (free == Long.MIN_VALUE && next.toCompletableFuture().isDone()) {
          free = time.nanoTime() + (long) (secondsEach * 1e9);
        }
        if (free > Long.MIN_VALUE && time.nanoTime() >= free) {
          next.toCompletableFuture().join().answered();
          if (++plan.done == total) {
            return (time.nanoTime() - began) / 1e9;
          }
          free = Long.MIN_VALUE;
          next = request(limiter);
        } else {
          if (step++ % 5 == 0) {
            progress.look();
            shown.add(new Shown((time.nanoTime() - began) / 1e9, progress.text()));
          }
          time.advance(Duration.ofMillis(50));
        }
      }
    }
  }

  private CompletionStage<Permit> request(Limiter limiter) {
    plan.due = time.nanoTime() + limiter.estimateWait(1).toNanos();
    return limiter.acquireAsync();
  }

  private void assertEnds(double end, double tolerance) {
    List<Shown> told = shown.stream().filter(one -> !Double.isNaN(one.end())).toList();
    assertTrue(!told.isEmpty());
    for (Shown one : told) {
      assertEquals(end, one.end(), tolerance, one + ", but the end came after " + end + " s");
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          peer(10/1m)                 |  75 | 2
          peer(10/1m)                 |  80 | 2
          starts(10/1m)               |  75 | 2
          peer(1/1h)                  |   4 | 61
          peer(5/1s)                  | 203 | 4
          """)
  void theEndUnderOneWindowIsTheOneThatComes(String limit, int total, double tolerance) {
    assertEnds(work(limit, total, 0), tolerance);
  }

  /** About: to the length of an interval, or of a line if that is longer. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          peer(3/1s) & peer(100/1m)   | 350 | 0   | 61
          peer(100/1m) & peer(3/1s)   | 350 | 0   | 61
          bucket(10/1m, burst=30)     | 120 | 0   | 61
          spacing(7s)                 |  30 | 0   | 15
          peer(5/1s)                  |  20 | 30  | 31
          peer(10/1m)                 | 100 | 5   | 65
          peer(1/1m)                  |  10 | 55  | 116
          unlimited                   |  50 | 4   | 12
          """)
  void aSlowerPeerOrLimitMakesTheEndLater(
      String limit, int total, double secondsEach, double tolerance) {
    assertEnds(work(limit, total, secondsEach), tolerance);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          peer(10/1m)                 |  60 | 0   | 10
          peer(3/1s) & peer(100/1m)   | 350 | 0   | 100
          peer(100/1m) & peer(3/1s)   | 350 | 0   | 100
          bucket(10/1m, burst=30)     | 120 | 0   | 10
          peer(5/1s)                  |  20 | 30  | 2
          """)
  void theRateIsNoMoreThanTheLimitAndNeverNothing(
      String limit, int total, double secondsEach, double perMinute) {
    var unused = work(limit, total, secondsEach);
    List<Shown> told = shown.stream().filter(one -> !Double.isNaN(one.perMinute())).toList();
    assertTrue(!told.isEmpty());
    for (Shown one : told) {
      assertTrue(one.perMinute() > 0 && one.perMinute() < 1.05 * perMinute, one.text());
    }
  }

  /** Before a whole interval has passed, it is unknown how long the commands themselves take. */
  @Test
  void noEndIsToldBeforeTheFirstInterval() {
    var unused = work("peer(10/1m)", 30, 1);
    for (Shown one : shown) {
      assertTrue(one.at() >= 59 || Double.isNaN(one.end()), one.toString());
    }
  }

  /** How long others pause is not known, so neither is the end. */
  @Test
  void noEndIsToldInAPause() {
    plan.total = 100;
    try (Limiter limiter = Limiter.builder("peer(10/1m)").time(time).build()) {
      var progress = new Progress(limiter, plan);
      for (int quarter = 0; quarter < 300; quarter++) {
        plan.done = quarter / 24; // every six seconds
        time.advance(Duration.ofMillis(250));
        progress.look();
      }
      assertTrue(progress.text().contains(" left ("), progress.text());
      limiter.pause();
      var waiting = request(limiter);
      assertTrue(progress.text().endsWith(", 10.0/m (paused until resumed)"), progress.text());
      assertTrue(waiting.toCompletableFuture().cancel(false));
    }
  }
}
