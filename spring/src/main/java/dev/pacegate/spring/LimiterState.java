package dev.pacegate.spring;

import dev.pacegate.Bottleneck;
import dev.pacegate.KeyedLimiter;
import dev.pacegate.Limiter;
import dev.pacegate.RefusedException;
import dev.pacegate.Snapshot;
import dev.pacegate.time.Durations;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The state of a limiter, as the endpoint shows it. That of a keyed limiter is the state of all
 * keys together, but for the limit.
 *
 * @param limit the limit in force; of a keyed limiter, that of each key
 * @param limitOfAllKeys the limit that all keys keep together; null if there are no keys
 * @param keys how many keys are known now; null if there are no keys
 * @param workingRate the rate in use, in units a second, since the peer has refused requests; null
 *     if only the limit is in force
 * @param paused whether it is paused; of a keyed limiter, whether all keys are
 * @param waiting how many requests wait now
 * @param oldestWait how long the one of them has waited that came first, such as {@code 1m12s};
 *     null if none waits
 * @param open how many permits are open now
 * @param oldestOpen how long the oldest of them has been open; null if none is
 * @param granted how many requests were granted a permit
 * @param refused how many requests were refused at once
 * @param lost how many permits ended as lost
 * @param spentByLost how many units of the limit lost requests spend now; of a keyed limiter, of
 *     that of all keys
 * @param refusedByPeer how many granted requests the peer is known to have refused
 * @param takenByOthers how many units the peer counted beyond those granted here
 * @param storeFails whether the store that processes share fails, such as one that does not answer
 * @param waitsFor what a request that came now would wait for; null if it would go at once
 */
public record LimiterState(
    String limit,
    @Nullable String limitOfAllKeys,
    @Nullable Integer keys,
    @Nullable Double workingRate,
    boolean paused,
    int waiting,
    @Nullable String oldestWait,
    int open,
    @Nullable String oldestOpen,
    long granted,
    long refused,
    long lost,
    long spentByLost,
    long refusedByPeer,
    long takenByOthers,
    boolean storeFails,
    @Nullable String waitsFor) {

  static LimiterState of(KnownLimiter known) {
    KeyedLimiter<?> keyed = known.keyed();
    Snapshot now = known.all().snapshot();
    String limit = now.limit().toString();
    return new LimiterState(
        keyed == null ? limit : keyed.limit().toString(),
        keyed == null ? null : limit,
        keyed == null ? null : keyed.size(),
        now.workingRate().isPresent() ? now.workingRate().getAsDouble() : null,
        now.paused(),
        now.waiting(),
        age(now.oldestWait()),
        now.open(),
        age(now.oldestOpen()),
        now.granted(),
        now.refused(),
        now.lost(),
        now.spentByLost(),
        now.refusedByPeer(),
        now.takenByOthers(),
        now.sourceFails(),
        waitsFor(known.all(), now));
  }

  private static @Nullable String age(Duration age) {
    return age.isZero() ? null : Durations.brief(age);
  }

  /** The source of a keyed limiter is that of its keys, which no request of all waits for. */
  private static @Nullable String waitsFor(Limiter limiter, Snapshot now) {
    try {
      return limiter
          .bottleneck()
          .map(Bottleneck::reason)
          .orElseGet(() -> now.unavailable().orElse(null));
    } catch (RefusedException never) {
      return never.getMessage();
    }
  }
}
