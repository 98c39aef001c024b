package dev.pacegate.benchmarks;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.lang.management.ThreadMXBean;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.AuxCounters;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * The cost of a task that is scheduled and cancelled before its time, while others are pending.
 *
 * <p>A timer may leave part of the work to its own thread. So the readings are short, after each of
 * them that thread is given the time to do what was left to it, and its processor time is counted.
 * In one long reading some would only pile up work that no thread does.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 15, time = 20, timeUnit = TimeUnit.MILLISECONDS)
@Measurement(iterations = 30, time = 20, timeUnit = TimeUnit.MILLISECONDS)
@Fork(1)
public class TimerBenchmark {

  private static final String THREAD = "measured-timer";
  private static final int DELAYS = 1 << 12;
  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

  /** A timer with so many tasks that are not due for an hour. */
  @State(Scope.Benchmark)
  public static class Busy {
    @Param TimerSubject subject;

    @Param({"1000", "100000"})
    int pending;

    TimerSubject.Subject timer;
    final long[] delays = new long[DELAYS]; // of the same hours as those that are pending

    @Setup
    public void create() throws InterruptedException {
      var random = new Random(1);
      for (int i = 0; i < DELAYS; i++) {
        delays[i] = TimeUnit.HOURS.toNanos(1) + random.nextInt(3_600) * 1_000_000_000L + i;
      }
      timer = subject.create(THREAD);
      for (int i = 0; i < pending; i++) {
        timer.schedule(
            () -> {}, TimeUnit.HOURS.toNanos(1) + random.nextInt(3_600) * 1_000_000_000L);
      }
      letTheTimerCatchUp();
    }

    void letTheTimerCatchUp() throws InterruptedException {
      Thread.sleep(3 * subject.tick.toMillis() + 5);
    }

    @TearDown
    public void close() {
      timer.close();
    }
  }

  /** What was called for in one reading, and what it cost the timer's own thread. */
  @State(Scope.Thread)
  @AuxCounters(AuxCounters.Type.EVENTS)
  public static class Own {
    public long calls;
    public long ownNanos;
    private long before;

    @Setup(Level.Iteration)
    public void begin() {
      before = cpuNanos();
    }

    @TearDown(Level.Iteration)
    public void end(Busy busy) throws InterruptedException {
      busy.letTheTimerCatchUp();
      ownNanos = cpuNanos() - before;
    }

    private static long cpuNanos() {
      for (ThreadInfo thread : THREADS.dumpAllThreads(false, false)) {
        if (thread.getThreadName().equals(THREAD)) {
          return THREADS.getThreadCpuTime(thread.getThreadId());
        }
      }
      throw new IllegalStateException("no thread " + THREAD);
    }
  }

  @Benchmark
  public void scheduleAndCancel(Busy busy, Own own) {
    if (!busy.timer.scheduleAndCancel(busy.delays[(int) own.calls++ & (DELAYS - 1)])) {
      throw new IllegalStateException(busy.subject + " was too late to cancel");
    }
  }
}
