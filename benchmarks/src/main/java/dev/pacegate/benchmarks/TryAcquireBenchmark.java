package dev.pacegate.benchmarks;

import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * The cost of one request that need not wait, at Pacegate and at other libraries.
 *
 * <p>Each call checks its outcome, so a limiter that is asked for more than it allows ends the run
 * rather than looking fast.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 200, timeUnit = TimeUnit.MILLISECONDS)
@Measurement(iterations = 60, time = 20, timeUnit = TimeUnit.MILLISECONDS)
@Fork(1)
public class TryAcquireBenchmark {

  /** A limiter that lets everything through. */
  @State(Scope.Benchmark)
  public static class Granting {
    @Param Subject subject;
    BooleanSupplier request;

    @Setup
    public void create() {
      request = subject.granting();
    }
  }

  /** A limiter that turns everything away. */
  @State(Scope.Benchmark)
  public static class Refusing {
    @Param Subject subject;
    BooleanSupplier request;

    @Setup
    public void create() {
      request = subject.refusing();
    }
  }

  @Benchmark
  public void granted(Granting limiter) {
    if (!limiter.request.getAsBoolean()) {
      throw new IllegalStateException(limiter.subject + " has refused");
    }
  }

  @Benchmark
  public void refused(Refusing limiter) {
    if (limiter.request.getAsBoolean() != (limiter.subject == Subject.FLOOR)) {
      throw new IllegalStateException(limiter.subject + " has granted");
    }
  }
}
