package dev.pacegate.micrometer;

import dev.pacegate.Limiter;
import dev.pacegate.Snapshot;
import java.time.Duration;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;

/** The figures of a limiter, each read from a snapshot when it is asked for. */
final class LimiterFigures implements Figures {

  private final Limiter limiter;

  LimiterFigures(Limiter limiter) {
    this.limiter = limiter;
  }

  @Override
  public void addTo(Registration all) {
    Registration meters = all.with("limiter", limiter.name());
    requests(meters);
    peer(meters);
    now(meters);
    limit(meters);
  }

  private void requests(Registration meters) {
    counter(meters, "permits.released", "Requests granted a permit", Snapshot::granted);
    counter(meters, "permits.refused", "Requests refused at once", Snapshot::refused);
    counter(
        meters, "permits.cancelled", "Requests that left the queue unserved", Snapshot::cancelled);
    counter(
        meters,
        "permits.would.have.waited",
        "Requests that dry-run mode let through",
        Snapshot::wouldHaveWaited);
    counter(meters, "permits.late", "Requests sent late and charged again", Snapshot::late);
    counter(meters, "permits.lost", "Permits that ended without a known outcome", Snapshot::lost);
    new WaitFigures(limiter).addTo(meters);
  }

  private void peer(Registration meters) {
    counter(
        meters,
        "peer.refused",
        "Requests that the peer refused although they were let through",
        Snapshot::refusedByPeer);
    counter(
        meters,
        "peer.taken.by.others",
        "Units that the peer counted beyond those granted here",
        Snapshot::takenByOthers);
  }

  private void now(Registration meters) {
    gauge(meters, "permits.waiting", "Requests that wait now", Snapshot::waiting);
    age(
        meters,
        "permits.waiting.oldest",
        "How long the oldest request in the queue has waited",
        Snapshot::oldestWait);
    gauge(meters, "permits.open", "Permits that are open now", Snapshot::open);
    age(
        meters,
        "permits.open.oldest",
        "How long the oldest open permit has been open",
        Snapshot::oldestOpen);
    gauge(meters, "limiter.paused", "1 while paused", now -> now.paused() ? 1 : 0);
    gauge(
        meters,
        "limiter.unavailable",
        "1 while the shared store gives no permits",
        now -> now.unavailable().isPresent() ? 1 : 0);
    gauge(
        meters,
        "limiter.source.failing",
        "1 while the shared store fails",
        now -> now.sourceFails() ? 1 : 0);
  }

  private void limit(Registration meters) {
    gauge(
        meters, "limit.used.most", "The largest share of the limit used so far", LimitShare::most);
    counter(
        meters,
        "limit.spent",
        "Units spent, as limit.rate counts: requests, or what they cost",
        LimitRate::spent);
    gauge(
        meters,
        "limit.spent.lost",
        "Units of the limit that lost requests spend now",
        Snapshot::spentByLost);
    gauge(
        meters,
        "limit.rate",
        "The rate that the limit allows, in units a second",
        now -> LimitRate.of(now.limit()));
    gauge(
        meters,
        "limit.rate.working",
        "The rate in use, in units a second: lower while the peer refuses more",
        now -> now.workingRate().orElseGet(() -> LimitRate.of(now.limit())));
  }

  private void counter(
      Registration meters, String name, String what, ToDoubleFunction<Snapshot> figure) {
    meters.counter("pacegate." + name, what, () -> figure.applyAsDouble(limiter.snapshot()));
  }

  private void age(
      Registration meters, String name, String what, Function<Snapshot, Duration> oldest) {
    meters.duration("pacegate." + name, what, () -> oldest.apply(limiter.snapshot()).toNanos());
  }

  private void gauge(
      Registration meters, String name, String what, ToDoubleFunction<Snapshot> figure) {
    meters.gauge("pacegate." + name, what, () -> figure.applyAsDouble(limiter.snapshot()));
  }
}
