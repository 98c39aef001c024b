package dev.pacegate.benchmarks.peers;

/** What became of a request. */
enum Fate {
  ANSWERED,
  REFUSED,
  TIMED_OUT,
  FAILED
}
