package dev.pacegate.engine;

import static java.util.Objects.requireNonNull;

import dev.pacegate.engine.report.Reporter;
import dev.pacegate.engine.report.RequestCounts;
import dev.pacegate.engine.visit.Visit;
import dev.pacegate.limit.Cost;
import dev.pacegate.limit.spi.Losses;
import dev.pacegate.limit.spi.Meter;
import org.jspecify.annotations.Nullable;

/**
 * Counts what happens to requests, and reports it to the listener. What happens to a key's request
 * counts for the key as well, and for the groups around it. Guarded by the gate.
 */
/*
 * The counts of a key are made before anything is counted: an error then leaves all as it was.
 */
public final class StatsCounter {

  final Reporter reporter;
  final RequestCounts all = new RequestCounts();
  long granted;

  StatsCounter(Reporter reporter) {
    this.reporter = reporter;
  }

  void grantedAtOnce() {
    granted++;
  }

  void granted(Lane lane, long waited) {
    RequestCounts ofKey = waited > 0 ? lane.counts() : null;
    granted++;
    if (waited > 0) {
      addWait(lane, ofKey, waited);
    }
  }

  private void addWait(Lane lane, @Nullable RequestCounts ofKey, long waited) {
    all.addWait(waited);
    if (ofKey != null) {
      ofKey.addWait(waited);
    }
    for (Lane group : lane.around) {
      of(group).addWait(waited);
    }
  }

  private static RequestCounts of(Lane group) {
    return requireNonNull(group.counts());
  }

  /** Counts a request that dry-run mode let through, and the wait it would have had. */
  void wouldHaveWaited(Lane lane, long wait) {
    RequestCounts ofKey = lane.counts();
    all.wouldHaveWaited++;
    if (ofKey != null) {
      ofKey.wouldHaveWaited++;
    }
    for (Lane group : lane.around) {
      of(group).wouldHaveWaited++;
    }
    if (wait < Meter.AT_EVENT) {
      addWait(lane, ofKey, wait);
    }
  }

  void refusedAtOnce(Lane lane) {
    RequestCounts ofKey = lane.counts();
    all.refused++;
    if (ofKey != null) {
      ofKey.refused++;
    }
    for (Lane group : lane.around) {
      of(group).refused++;
    }
  }

  void tellReleased(Waiter waiter, long instant, Visit visit) {
    recordWait(waiter, true, visit);
    if (reporter.listens()) {
      long waited = visit.now - waiter.arrivedAt;
      visit.add(() -> reporter.tell(listener -> listener.onRelease(waiter.cost, instant, waited)));
    }
  }

  void tellRefused(Waiter waiter, Visit visit) {
    refusedAtOnce(waiter.lane);
    if (reporter.listens()) {
      visit.add(() -> reporter.tell(listener -> listener.onRefusal(waiter.cost, waiter.atLeast)));
    }
  }

  void tellLeft(Waiter waiter, Visit visit) {
    Lane lane = waiter.lane;
    RequestCounts ofKey = lane.counts();
    all.cancelled++;
    if (ofKey != null) {
      ofKey.cancelled++;
    }
    for (Lane group : lane.around) {
      of(group).cancelled++;
    }
    recordWait(waiter, false, visit);
    if (reporter.listens()) {
      long waited = visit.now - waiter.arrivedAt;
      visit.add(() -> reporter.tell(listener -> listener.onLeave(waiter.cost, waited)));
    }
  }

  private void recordWait(Waiter waiter, boolean granted, Visit visit) {
    if (waiter.flight != null && visit.now > waiter.arrivedAt) {
      visit.add(() -> reporter.recordWait(waiter.flight, waiter.cost, granted));
    }
  }

  /** Reports starvation if lost requests hold most of {@code pool}, for which a request waits. */
  void tellLosses(Waiter waiter, long wait, Pool pool, Visit visit) {
    if (wait == 0 || wait >= Meter.AT_EVENT || !pool.hasUntoldLoss(visit.now)) {
      return;
    }
    Losses losses = pool.tellLosses(visit.now, waiter.cost);
    if (losses != null) {
      visit.add(() -> reporter.starved(losses, wait));
    }
  }

  void tellLate(OpenEntry permit, Lane lane, Visit visit) {
    RequestCounts ofKey = lane.counts();
    all.late++;
    if (ofKey != null) {
      ofKey.late++;
    }
    for (Lane group : lane.around) {
      of(group).late++;
    }
    Cost cost = permit.cost;
    long age = visit.now - permit.startedAt;
    visit.add(() -> reporter.tell(listener -> listener.onLateStart(cost, age)));
  }

  public void refusedByPeer(Lane lane) {
    RequestCounts ofKey = lane.counts();
    all.refusedByPeer++;
    if (ofKey != null) {
      ofKey.refusedByPeer++;
    }
    for (Lane group : lane.around) {
      of(group).refusedByPeer++;
    }
  }

  void lost(Lane lane) {
    RequestCounts ofKey = lane.counts();
    all.lost++;
    if (ofKey != null) {
      ofKey.lost++;
    }
    for (Lane group : lane.around) {
      of(group).lost++;
    }
  }

  public void takenByOthers(Lane lane, long cost) {
    RequestCounts ofKey = lane.counts();
    all.takenByOthers += cost;
    if (ofKey != null) {
      ofKey.takenByOthers += cost;
    }
    for (Lane group : lane.around) {
      of(group).takenByOthers += cost;
    }
  }
}
