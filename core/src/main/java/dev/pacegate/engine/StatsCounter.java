package dev.pacegate.engine;

import dev.pacegate.PeerPause;
import dev.pacegate.PeerRefusal;
import dev.pacegate.WaitHistogram;
import dev.pacegate.limit.Cost;
import dev.pacegate.limit.Limit;
import dev.pacegate.limit.spi.Losses;
import dev.pacegate.limit.spi.Meter;
import java.util.OptionalDouble;
import org.jspecify.annotations.Nullable;

/** Counts releases and refusals, and reports them to the listener. Guarded by the gate. */
final class StatsCounter {

  private final Reporter reporter;
  private @Nullable WaitCounter waits; // from the first on
  long granted;
  long refused;
  long cancelled;
  long wouldHaveWaited;
  long late;
  long lost;
  long refusedByPeer;
  long takenByOthers;

  StatsCounter(Reporter reporter) {
    this.reporter = reporter;
  }

  void grantedAtOnce() {
    granted++;
  }

  void granted(long waited) {
    granted++;
    if (waited > 0) {
      addWait(waited);
    }
  }

  /** Counts a request that dry-run mode let through, and the wait it would have had. */
  void wouldHaveWaited(long wait) {
    wouldHaveWaited++;
    if (wait < Meter.AT_EVENT) {
      addWait(wait);
    }
  }

  void refusedAtOnce() {
    refused++;
  }

  void tellReleased(Waiter waiter, long instant, Visit visit) {
    recordWait(waiter, true, visit);
    if (reporter.listens()) {
      long waited = visit.now - waiter.arrivedAt;
      visit.add(() -> reporter.tell(listener -> listener.onRelease(waiter.cost, instant, waited)));
    }
  }

  void tellRefused(Waiter waiter, Visit visit) {
    refused++;
    if (reporter.listens()) {
      visit.add(() -> reporter.tell(listener -> listener.onRefusal(waiter.cost, waiter.atLeast)));
    }
  }

  void tellLeft(Waiter waiter, Visit visit) {
    cancelled++;
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

  void tellLate(OpenPermit permit, Visit visit) {
    late++;
    Cost cost = permit.cost;
    long age = visit.now - permit.startedAt;
    visit.add(() -> reporter.tell(listener -> listener.onLateStart(cost, age)));
  }

  void tellPeerRefused(PeerRefusal refusal, Visit visit) {
    refusedByPeer++;
    visit.add(() -> reporter.refusedByPeer(refusal));
  }

  void tellPeerPaused(PeerPause.Reason reason, String source, long nanos, Visit visit) {
    visit.add(() -> reporter.pausedByPeer(reason, source, nanos));
  }

  void recordPause(PeerPause.Reason reason, long nanos, Visit visit) {
    visit.add(() -> reporter.recordPause(reason.toString(), nanos));
  }

  void tellWorkingRate(Limit limit, OptionalDouble perSecond, Visit visit) {
    visit.add(() -> reporter.workingRate(limit, perSecond));
  }

  void lost() {
    lost++;
  }

  void takenByOthers(long cost) {
    takenByOthers += cost;
  }

  void tellOverdue(OpenEntry permit, Visit visit) {
    if (reporter.listens()) {
      Cost cost = permit.cost;
      long age = visit.now - permit.startedAt;
      visit.add(() -> reporter.tell(listener -> listener.onOverdue(cost, age)));
    }
  }

  void tellAbandoned(OpenEntry permit, Visit visit) {
    long open = visit.now - permit.startedAt;
    visit.add(() -> reporter.recordLost(permit.cost, open, true));
    if (reporter.listens()) {
      Cost cost = permit.cost;
      long age = visit.now - permit.startedAt;
      visit.add(() -> reporter.tell(listener -> listener.onAbandon(cost, age)));
    }
  }

  void logOverdue(long count, long oldest, Visit visit) {
    visit.add(() -> reporter.logOverdue(count, oldest));
  }

  void logLost(long count, long dropped, long oldest, Visit visit) {
    visit.add(() -> reporter.logLost(count, dropped, oldest));
  }

  void tellStarved(Losses losses, long wait, Visit visit) {
    visit.add(() -> reporter.starved(losses, wait));
  }

  private void addWait(long nanos) {
    if (waits == null) {
      waits = new WaitCounter();
    }
    waits.add(nanos);
  }

  /** Returns how long those granted have waited, most of them not at all. */
  WaitHistogram waits() {
    return waits == null ? WaitCounter.none(granted) : waits.of(granted);
  }
}
