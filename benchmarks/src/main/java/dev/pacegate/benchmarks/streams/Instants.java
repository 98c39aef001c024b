package dev.pacegate.benchmarks.streams;

import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;

/** Takes down instants, from any thread; what is beyond its room is not noted. */
final class Instants {

  private final long[] noted;
  private final AtomicInteger count = new AtomicInteger();

  Instants(int room) {
    this.noted = new long[room];
  }

  void note(long instant) {
    int i = count.getAndIncrement();
    if (i < noted.length) {
      noted[i] = instant;
    }
  }

  /** Returns them in order, once no thread adds any more. */
  long[] inOrder() {
    if (count.get() > noted.length) {
      throw new IllegalStateException(
          count + " instants, where " + noted.length + " were expected");
    }
    long[] all = Arrays.copyOf(noted, count.get());
    Arrays.sort(all);
    return all;
  }
}
