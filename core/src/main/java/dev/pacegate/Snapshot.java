package dev.pacegate;

import dev.pacegate.limit.Limit;
import dev.pacegate.limit.Promise;
import java.time.Duration;
import java.util.List;

/**
 * A limiter at one instant, everything as of the same instant: an immutable value.
 *
 * <p>Only limiters make snapshots; a later version may tell more.
 */
public interface Snapshot {

  /** Returns the limiter's name. */
  String name();

  /** Returns the limit in force. */
  Limit limit();

  /** Returns how many requests have been let through. */
  long granted();

  /** Returns how many have been turned away at once. */
  long refused();

  /** Returns how many have left the queue without a permit. */
  long cancelled();

  /** Returns how many of those granted in dry-run mode the limit would have held back. */
  long wouldHaveWaited();

  /** Returns how many of those granted were sent late, see {@link Limiter.Builder#late}. */
  long late();

  /** Returns how many of those granted the peer is known to have refused. */
  long refusedByPeer();

  /** Returns how much the peer is known to have counted beyond what was granted here. */
  long takenByOthers();

  /** Returns how many wait now. */
  int waiting();

  /** Returns how many permits are open now, where the limit needs them to end. */
  int open();

  /** Returns how long the oldest of those has been open. */
  Duration oldestOpen();

  /** Returns whether the limiter is paused. */
  boolean paused();

  /** Returns how long those granted have waited; in dry-run mode, would have waited. */
  WaitHistogram waits();

  /** Returns the most that was counted at once so far, for each promise of the limit in force. */
  List<Most> most();

  /** The most that was counted at once. */
  interface Most {

    /** Returns what was promised. */
    Promise promise();

    /** Returns the most in any interval of the promise so far, out of a burst, or open. */
    long count();
  }
}
