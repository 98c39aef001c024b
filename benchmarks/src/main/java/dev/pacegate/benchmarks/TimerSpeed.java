package dev.pacegate.benchmarks;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.BenchmarkResult;
import org.openjdk.jmh.results.IterationResult;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.results.format.ResultFormatType;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.OptionsBuilder;

/**
 * Runs {@link TimerBenchmark} and collects what it finds, in rounds: each measures every timer
 * once, so that what disturbs the machine for a while disturbs all alike.
 */
final class TimerSpeed {

  static final List<Integer> PENDING = List.of(1_000, 100_000);

  private record Case(TimerSubject subject, int pending) {}

  /** All readings of one case; noise makes a reading larger, never smaller. */
  static final class Readings {

    private final List<Double> nanos = new ArrayList<>();
    private double bytes = Double.MAX_VALUE;
    private double calls;
    private double ownNanos;

    /** Returns the shortest time per call, in nanoseconds. */
    double fastest() {
      return nanos.get(0);
    }

    /** Returns the median of the times per call, in nanoseconds. */
    double median() {
      return nanos.get(nanos.size() / 2);
    }

    /** Returns the processor time of the timer's own thread per call, in nanoseconds. */
    double own() {
      return ownNanos / calls;
    }

    /** Returns what a call costs altogether: the caller at its fastest, and the timer's thread. */
    double together() {
      return fastest() + own();
    }

    /** Returns the bytes allocated per call. */
    double bytes() {
      return bytes;
    }

    private void add(BenchmarkResult fork) {
      for (IterationResult iteration : fork.getIterationResults()) {
        nanos.add(iteration.getPrimaryResult().getScore());
      }
      Collections.sort(nanos);
      calls += secondary(fork, "calls");
      ownNanos += secondary(fork, "ownNanos");
      bytes = Math.min(bytes, secondary(fork, "gc.alloc.rate.norm"));
    }

    private static double secondary(BenchmarkResult fork, String name) {
      return fork.getSecondaryResults().get(name).getScore();
    }
  }

  private final Map<Case, Readings> readings = new HashMap<>();
  private final Path results;
  private final boolean quick;
  private int round;

  /**
   * @param results the folder in which to leave JMH's own results
   */
  TimerSpeed(Path results, boolean quick) {
    this.results = results;
    this.quick = quick;
  }

  /** Measures every timer once more. */
  void round() throws RunnerException {
    round++;
    ChainedOptionsBuilder options =
        new OptionsBuilder()
            .include(TimerBenchmark.class.getName())
            .addProfiler(GCProfiler.class)
            .resultFormat(ResultFormatType.JSON)
            .result(results.resolve("jmh-timers-" + round + ".json").toString());
    if (quick) {
      options.warmupIterations(3).measurementIterations(3);
    }
    for (RunResult result : new Runner(options.build()).run()) {
      var timers =
          new Case(
              TimerSubject.valueOf(result.getParams().getParam("subject")),
              Integer.parseInt(result.getParams().getParam("pending")));
      Readings all = readings.computeIfAbsent(timers, unknown -> new Readings());
      result.getBenchmarkResults().forEach(all::add);
    }
  }

  Readings of(TimerSubject subject, int pending) {
    return readings.get(new Case(subject, pending));
  }
}
