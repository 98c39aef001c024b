package dev.pacegate.benchmarks.growth;

import java.util.concurrent.locks.LockSupport;

/** A thread that asks for a permit of its own key every 50 us, and notes its longest call. */
final class Probe implements AutoCloseable {

  private static final long PAUSE_NANOS = 50_000;

  private final World world;
  private final Thread thread = new Thread(this::run, "probe");
  private volatile boolean stops;
  private volatile long longest;

  Probe(World world) {
    this.world = world;
    thread.start();
  }

  private void run() {
    while (!stops) {
      long began = System.nanoTime();
      if (world.keys.tryAcquire(World.PROBE).isPresent()) {
        throw new IllegalStateException("the probe's key got a permit");
      }
      longest = Math.max(longest, System.nanoTime() - began);
      LockSupport.parkNanos(PAUSE_NANOS);
    }
  }

  /** Returns the longest call so far, and forgets it. */
  long take() {
    long taken = longest;
    longest = 0;
    return taken;
  }

  @Override
  public void close() throws InterruptedException {
    stops = true;
    thread.join();
  }
}
