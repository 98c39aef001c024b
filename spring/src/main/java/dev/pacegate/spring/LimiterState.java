package dev.pacegate.spring;

import dev.pacegate.Bottleneck;
import dev.pacegate.Limiter;
import dev.pacegate.RefusedException;
import dev.pacegate.Snapshot;
import org.jspecify.annotations.Nullable;

/**
 * What the endpoint shows of a limiter.
 *
 * @param limit the limit in force
 * @param paused whether it is paused
 * @param waiting how many requests wait now
 * @param open how many permits are open now
 * @param granted how many requests were granted a permit
 * @param refused how many requests were refused at once
 * @param refusedByPeer how many granted requests the peer is known to have refused
 * @param takenByOthers how many units the peer counted beyond those granted here
 * @param waitsFor what a request that came now would wait for; null if it would go at once
 */
public record LimiterState(
    String limit,
    boolean paused,
    int waiting,
    int open,
    long granted,
    long refused,
    long refusedByPeer,
    long takenByOthers,
    @Nullable String waitsFor) {

  static LimiterState of(Limiter limiter) {
    Snapshot now = limiter.snapshot();
    return new LimiterState(
        now.limit().toString(),
        now.paused(),
        now.waiting(),
        now.open(),
        now.granted(),
        now.refused(),
        now.refusedByPeer(),
        now.takenByOthers(),
        waitsFor(limiter));
  }

  private static @Nullable String waitsFor(Limiter limiter) {
    try {
      return limiter.bottleneck().map(Bottleneck::reason).orElse(null);
    } catch (RefusedException never) {
      return never.getMessage();
    }
  }
}
