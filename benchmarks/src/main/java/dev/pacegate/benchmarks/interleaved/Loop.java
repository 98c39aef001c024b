package dev.pacegate.benchmarks.interleaved;

/**
 * A loop of calls to one subject.
 *
 * <p>Beside the classes of the JDK this is the only type that all subjects share: see {@link
 * Isolated}.
 */
public interface Loop {

  /** So many calls at a time that what it costs to call the loop does not count. */
  int CALLS = 100;

  /** Makes {@link #CALLS} calls, and returns how many of them were granted. */
  int run();
}
