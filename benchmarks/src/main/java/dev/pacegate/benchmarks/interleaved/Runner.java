package dev.pacegate.benchmarks.interleaved;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;

/** Runs the slices of one case. */
final class Runner {

  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  final Case turn;
  private final Loop loop;
  private double fastest = Double.POSITIVE_INFINITY; // nanoseconds for a call

  Runner(Case turn, Loop loop) {
    this.turn = turn;
    this.loop = loop;
  }

  /**
   * Makes as many calls as take about {@code span} nanoseconds, to judge by the calls before; and
   * some more to begin with, which find in the processor's caches what the case before has left.
   *
   * @throws IllegalStateException if not every call was granted, or refused: a limiter that is
   *     asked for more than it allows must not look fast
   */
  Slice run(long span) {
    long times = Math.max(1, (long) (span / (fastest * Loop.CALLS)));
    for (long i = 0; i < times / 10; i++) {
      loop.run();
    }
    long allocated = THREADS.getCurrentThreadAllocatedBytes();
    long began = System.nanoTime();
    long granted = 0;
    for (long i = 0; i < times; i++) {
      granted += loop.run();
    }
    long nanos = System.nanoTime() - began;
    long bytes = THREADS.getCurrentThreadAllocatedBytes() - allocated;
    long calls = times * Loop.CALLS;
    if (granted != (turn.grants() ? calls : 0)) {
      throw new IllegalStateException(turn + " granted " + granted + " of " + calls + " calls");
    }
    var slice = new Slice(calls, nanos, bytes);
    fastest = Math.min(fastest, slice.nanosPerCall());
    return slice;
  }
}
