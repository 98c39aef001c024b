package dev.pacegate.benchmarks;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Threads that take permits one after the other, and what they saw. */
final class Demand {

  /** Waits for a permit. */
  @FunctionalInterface
  interface Taker {

    /** Returns the instant of the permit as the limiter reports it, anything if it does not. */
    long take() throws InterruptedException;
  }

  private final List<Asker> askers = new ArrayList<>();

  private Demand() {}

  /**
   * Takes permits for {@code nanos}.
   *
   * @param expected about how many permits there will be
   */
  static Demand run(Taker taker, int threads, long nanos, int expected)
      throws InterruptedException {
    var demand = new Demand();
    for (int i = 0; i < threads; i++) {
      demand.askers.add(new Asker(taker, nanos, expected / threads));
    }
    demand.askers.forEach(Thread::start);
    for (Asker asker : demand.askers) {
      asker.join();
      if (asker.failure != null) {
        throw new IllegalStateException(asker.failure);
      }
    }
    return demand;
  }

  /** Returns the instants of all permits as the limiter reports them, in order. */
  long[] reported() {
    return askers.stream()
        .flatMapToLong(asker -> Arrays.stream(asker.reported, 0, asker.taken))
        .sorted()
        .toArray();
  }

  /** Returns the instants at which the callers had their permits by their clock, in order. */
  long[] read() {
    return askers.stream()
        .flatMapToLong(asker -> Arrays.stream(asker.read, 0, asker.taken))
        .sorted()
        .toArray();
  }

  private static final class Asker extends Thread {

    private final Taker taker;
    private final long nanos;
    private long[] reported;
    private long[] read;
    private int taken;
    private Exception failure;

    Asker(Taker taker, long nanos, int expected) {
      this.taker = taker;
      this.nanos = nanos;
      this.reported = new long[expected];
      this.read = new long[expected];
    }

    @Override
    public void run() {
      try {
        long begin = System.nanoTime();
        do {
          if (taken == read.length) {
            reported = Arrays.copyOf(reported, 2 * taken + 16);
            read = Arrays.copyOf(read, 2 * taken + 16);
          }
          reported[taken] = taker.take();
          read[taken] = System.nanoTime();
        } while (read[taken++] - begin < nanos);
      } catch (InterruptedException | RuntimeException e) {
        failure = e;
      }
    }
  }
}
