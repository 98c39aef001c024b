package dev.pacegate.engine;

import dev.pacegate.engine.report.Obstacle;
import dev.pacegate.engine.visit.Clock;
import dev.pacegate.limit.Cost;
import dev.pacegate.limit.Limit;
import dev.pacegate.limit.Measure;
import dev.pacegate.limit.Promise;
import dev.pacegate.limit.spi.Meter;
import java.util.List;
import java.util.OptionalDouble;
import org.jspecify.annotations.Nullable;

/**
 * Finds for what a request would wait longest. Asks each meter many times, so it is for messages
 * only. Guarded by the gate.
 */
final class BottleneckSearch {

  /** The wait for something of which only the event is known. */
  private static final long SOME_TIME = 1;

  private final long since;
  private final long now;
  private final Cost ahead;
  private final Cost cost;
  private final int open;
  private @Nullable Obstacle worst;
  private long longest;

  private BottleneckSearch(Lane lane, Cost cost, int open, long now) {
    Waiter first = lane.first();
    this.since = first == null ? now : first.since;
    this.now = now;
    this.ahead = lane.all();
    this.cost = cost;
    this.open = open;
  }

  /** Returns what a request that comes to {@code lane} now would wait for; null if for nothing. */
  static @Nullable Obstacle find(
      Lane lane, Cost cost, Pools pools, WaitQueue queue, PermitLedger permits, long now) {
    if (queue.isObserving()) {
      return null;
    }
    String refusing = pools.unavailable(lane);
    if (refusing != null) {
      return new Obstacle.Source(refusing);
    }
    int open = lane.own == null ? permits.openNow() : lane.open;
    var search = new BottleneckSearch(lane, cost, open, now);
    search.pause(queue.pause(now), pools.whole);
    search.pause(pools.ownOrWhole(lane).pause(now), pools.ownOrWhole(lane));
    search.searchPool(lane.own);
    for (Lane group : lane.around) {
      search.pause(group.pool().pause(now), group.pool());
      search.searchPool(group.pool());
    }
    search.searchPool(pools.whole);
    search.searchPool(pools.common);
    int waiting = lane.size() + lane.late;
    return search.worst == null && waiting > 0 ? new Obstacle.Queue(waiting) : search.worst;
  }

  /** Looks at a pause of {@code nanos}, {@link Meter#AT_EVENT} until resumed. */
  private void pause(long nanos, Pool paused) {
    boolean ofPeer = paused.pacing().pausedUntil() == Clock.later(now, nanos);
    found(nanos, new Obstacle.Pause(nanos, nanos == Meter.AT_EVENT, ofPeer));
  }

  /** Looks at the limit of a pool, term by term. */
  private void searchPool(@Nullable Pool pool) {
    if (pool == null) {
      return;
    }
    String why = pool.succession().unavailable(now);
    if (why != null) {
      found(Meter.LONGEST, new Obstacle.Source(why));
    }
    OptionalDouble rate = pool.pacing().perSecond(now);
    if (rate.isPresent()) {
      found(pool.pacing().nanosUntil(now, ahead), new Obstacle.Slowdown(rate.getAsDouble()));
    }
    List<Meter> leaves = pool.meter().leaves();
    List<Limit> terms = pool.limit().terms();
    if (!pool.succession().isShared() && leaves.size() == terms.size()) {
      for (int i = 0; i < leaves.size(); i++) {
        found(wait(leaves.get(i)), obstacle(terms.get(i), leaves.get(i)));
      }
      found(wait(pool.meter()), new Obstacle.EarlierLimit());
    } else {
      found(wait(pool.meter()), new Obstacle.Whole(pool.limit()));
    }
  }

  /** Of equal waits the first counts. */
  private void found(long wait, Obstacle obstacle) {
    if (wait > longest) {
      longest = wait;
      worst = obstacle;
    }
  }

  private long wait(Meter meter) {
    long atLeast = meter.atLeast(since, now, ahead, cost);
    if (atLeast > 0) {
      return atLeast;
    }
    return meter.nanosUntil(since, now, cost) > 0 ? SOME_TIME : 0;
  }

  private Obstacle obstacle(Limit term, Meter leaf) {
    List<Promise> promises = term.promises();
    if (promises.size() != 1) {
      return new Obstacle.Whole(term);
    }
    Promise promise = promises.get(0);
    Measure of = promise.of();
    return new Obstacle.Spent(
        term, promise, promise.atOnce() - left(leaf, promise), of.of(cost), open);
  }

  /** Returns how much the term lets through at once. */
  private long left(Meter leaf, Promise promise) {
    long tooMuch = promise.atOnce() == Long.MAX_VALUE ? Long.MAX_VALUE : promise.atOnce() + 1;
    return LargestCost.between(
        0, tooMuch, amount -> leaf.nanosUntil(now, now, promise.of().cost(amount)) == 0);
  }
}
