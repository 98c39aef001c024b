package dev.pacegate.benchmarks.interleaved;

/**
 * What one turn of a case has shown.
 *
 * @param nanos how long its calls took, all together
 * @param bytes what its calls allocated, all together
 */
record Slice(long calls, long nanos, long bytes) {

  /** Returns the nanoseconds that a call took. */
  double nanosPerCall() {
    return (double) nanos / calls;
  }
}
