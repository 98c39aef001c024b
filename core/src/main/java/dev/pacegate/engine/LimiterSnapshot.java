package dev.pacegate.engine;

import dev.pacegate.Snapshot;
import dev.pacegate.WaitHistogram;
import dev.pacegate.engine.report.RequestCounts;
import dev.pacegate.engine.report.SnapshotText;
import dev.pacegate.limit.Limit;
import dev.pacegate.limit.Promise;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import org.jspecify.annotations.Nullable;

/** A snapshot of {@link EngineState}. */
record LimiterSnapshot(
    String name,
    Limit limit,
    long granted,
    long grantedUnits,
    long refused,
    long cancelled,
    long wouldHaveWaited,
    long late,
    long lost,
    long spentByLost,
    long refusedByPeer,
    long takenByOthers,
    OptionalDouble workingRate,
    int waiting,
    Duration oldestWait,
    int open,
    Duration oldestOpen,
    boolean paused,
    Optional<String> unavailable,
    boolean sourceFails,
    WaitHistogram waits,
    List<Snapshot.Most> most)
    implements Snapshot {

  /** The most that was counted for one promise. */
  record MostCounted(Promise promise, long count) implements Snapshot.Most {}

  /** For callers that hold the gate. */
  static LimiterSnapshot of(
      String name,
      Pool pool,
      StatsCounter stats,
      WaitQueue queue,
      PermitLedger permits,
      SourceState source,
      long now) {
    return new LimiterSnapshot(
        name,
        pool.limit(),
        stats.granted,
        pool.units(stats.granted),
        stats.all.refused,
        stats.all.cancelled,
        stats.all.wouldHaveWaited,
        stats.all.late,
        stats.all.lost,
        pool.spentByLost(now),
        stats.all.refusedByPeer,
        stats.all.takenByOthers,
        pool.pacing().perSecond(now),
        queue.waiting(),
        Duration.ofNanos(queue.oldestWait(now)),
        permits.openNow(),
        Duration.ofNanos(permits.oldestAge(now)),
        queue.isPaused(now),
        Optional.ofNullable(source.unavailable()),
        source.fails(),
        stats.all.waits(stats.granted),
        most(pool));
  }

  /**
   * Returns the snapshot of one key, which has no lane while it is not in use. For callers that
   * hold the gate.
   */
  static LimiterSnapshot ofKey(
      String name, @Nullable Lane key, Pool pool, WaitQueue queue, PermitLedger permits, long now) {
    RequestCounts counts = key == null ? new RequestCounts() : key.countsSoFar();
    QueuedRequests queued = QueuedRequests.ofKey(key, queue, now);
    return new LimiterSnapshot(
        name,
        pool.limit(),
        pool.released(),
        pool.units(pool.released()),
        counts.refused,
        counts.cancelled,
        counts.wouldHaveWaited,
        counts.late,
        counts.lost,
        pool.spentByLost(now),
        counts.refusedByPeer,
        counts.takenByOthers,
        pool.pacing().perSecond(now),
        queued.count(),
        queued.oldest(),
        key == null ? 0 : key.open,
        Duration.ofNanos(key == null ? 0 : permits.oldestAge(key, now)),
        pool.isPaused(now) || queue.isPaused(now) || isGroupPaused(key, now),
        Optional.ofNullable(pool.succession().unavailable(now)),
        pool.succession().fails(now),
        counts.waits(pool.released()),
        most(pool));
  }

  private static boolean isGroupPaused(@Nullable Lane key, long now) {
    boolean paused = false;
    for (int i = 0; key != null && i < key.around.length && !paused; i++) {
      paused = key.around[i].pool().isPaused(now);
    }
    return paused;
  }

  @Override
  public String toString() {
    return SnapshotText.of(this);
  }

  private static List<Snapshot.Most> most(Pool pool) {
    var most = new ArrayList<Snapshot.Most>();
    Iterator<Promise> promises = pool.limit().promises().iterator();
    pool.meter()
        .most(
            count -> {
              if (promises.hasNext()) {
                most.add(new MostCounted(promises.next(), count));
              }
            });
    promises.forEachRemaining(
        untold -> most.add(new MostCounted(untold, 0))); // a source's meter failed
    return most;
  }
}
