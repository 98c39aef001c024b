package dev.pacegate.benchmarks;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.BenchmarkResult;
import org.openjdk.jmh.results.IterationResult;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.results.format.ResultFormatType;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;

/**
 * Runs {@link TryAcquireBenchmark} and collects what it finds.
 *
 * <p>In rounds: each measures every subject once, in a JVM of its own, so that what disturbs the
 * machine for a while disturbs all subjects alike and not all readings of one.
 */
final class Speed {

  enum Outcome {
    GRANTED,
    REFUSED
  }

  private record Case(Subject subject, Outcome outcome, int threads) {}

  /** All readings of one case; noise makes a reading larger, never smaller. */
  static final class Readings {

    private final List<Double> nanos = new ArrayList<>();
    private double bytes = Double.MAX_VALUE;

    /** Returns the shortest time per call, in nanoseconds. */
    double fastest() {
      return nanos.get(0);
    }

    /** Returns the median of the times per call, in nanoseconds. */
    double median() {
      return nanos.get(nanos.size() / 2);
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
      Result<?> allocated = fork.getSecondaryResults().get("gc.alloc.rate.norm");
      bytes =
          Math.min(bytes, allocated.getScore()); // JMH's own work adds some, the less the longer
    }
  }

  private static final String[] A_FEW = {
    Subject.FLOOR.name(), Subject.WINDOW.name(), Subject.BUCKET.name(), Subject.GUAVA.name()
  };

  private final Map<Case, Readings> readings = new HashMap<>();
  private final Path results;
  private final boolean quick;
  private int round;

  /**
   * @param results the folder in which to leave JMH's own results
   */
  Speed(Path results, boolean quick) {
    this.results = results;
    this.quick = quick;
  }

  /** Measures every subject once more. */
  void round(int threads) throws RunnerException {
    round++;
    ChainedOptionsBuilder options =
        new OptionsBuilder()
            .include(TryAcquireBenchmark.class.getName())
            .threads(threads)
            .addProfiler(GCProfiler.class)
            .resultFormat(ResultFormatType.JSON)
            .result(results.resolve("jmh-" + round + ".json").toString());
    if (quick) {
      options.warmupIterations(1).warmupTime(TimeValue.milliseconds(150)).measurementIterations(10);
    }
    if (threads > 1) {
      options.measurementIterations(12).measurementTime(TimeValue.milliseconds(100));
    }
    if (quick && threads > 1) {
      options.measurementIterations(2).param("subject", A_FEW);
    }
    for (RunResult result : new Runner(options.build()).run()) {
      Subject subject = Subject.valueOf(result.getParams().getParam("subject"));
      Outcome outcome =
          result.getParams().getBenchmark().endsWith("granted") ? Outcome.GRANTED : Outcome.REFUSED;
      Readings all =
          readings.computeIfAbsent(new Case(subject, outcome, threads), unknown -> new Readings());
      result.getBenchmarkResults().forEach(all::add);
    }
  }

  /** Returns what was read; empty if the subject failed to keep to the outcome. */
  Optional<Readings> of(Subject subject, Outcome outcome, int threads) {
    return Optional.ofNullable(readings.get(new Case(subject, outcome, threads)));
  }

  /**
   * Returns how many times the floor the fastest call of {@code subject} takes, asked by one
   * thread.
   *
   * <p>The floor is measured with either outcome, though it has none: it is the mean of both.
   */
  double ratio(Subject subject, Outcome outcome) {
    double floor = 0;
    for (Outcome either : Outcome.values()) {
      floor += fastest(Subject.FLOOR, either) / Outcome.values().length;
    }
    return fastest(subject, outcome) / floor;
  }

  /** Returns by how much the two measurements of the floor differ, as a share of the lower. */
  double noise() {
    double granted = fastest(Subject.FLOOR, Outcome.GRANTED);
    double refused = fastest(Subject.FLOOR, Outcome.REFUSED);
    return Math.max(granted, refused) / Math.min(granted, refused) - 1;
  }

  private double fastest(Subject subject, Outcome outcome) {
    return of(subject, outcome, 1).map(Readings::fastest).orElse(Double.NaN);
  }
}
