package dev.pacegate;

import dev.pacegate.limit.Limit;
import dev.pacegate.limit.Promise;
import java.time.Duration;
import java.util.List;

/**
 * A limiter at one instant, everything as of the same instant.
 *
 * @param name the limiter's name
 * @param limit the limit in force
 * @param granted how many requests have been let through
 * @param refused how many have been turned away at once
 * @param cancelled how many have left the line without a permit
 * @param heldBack how many of those granted in observe-only mode the limit would have held back
 * @param late how many of those granted were sent late, see {@link Limiter.Builder#late}
 * @param refusedByPeer how many of those granted the peer is known to have refused
 * @param takenByOthers how much the peer is known to have counted beyond what was granted here
 * @param waiting how many wait now
 * @param open how many permits are open now, where the limit needs them to end
 * @param oldestOpen how long the oldest of those has been open
 * @param paused whether the limiter is paused
 * @param waits how long those granted have waited; in observe-only mode, would have waited
 * @param most the most that was counted at once so far, for each promise of the limit in force
 */
public record Snapshot(
    String name,
    Limit limit,
    long granted,
    long refused,
    long cancelled,
    long heldBack,
    long late,
    long refusedByPeer,
    long takenByOthers,
    int waiting,
    int open,
    Duration oldestOpen,
    boolean paused,
    WaitHistogram waits,
    List<Most> most) {

  /**
   * The most that was counted at once.
   *
   * @param promise what was promised
   * @param count the most in any interval of the promise so far, out of a burst, or open
   */
  public record Most(Promise promise, long count) {}
}
