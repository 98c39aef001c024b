package dev.pacegate.state;

import dev.pacegate.history.ForwardingMeter;
import dev.pacegate.history.OpenRequest;
import dev.pacegate.limit.Cost;
import dev.pacegate.limit.Limit;
import dev.pacegate.limit.Outcome;
import dev.pacegate.limit.spi.Meter;

/**
 * A meter that logs every event just before it happens. What it learns of the peer's clock is not
 * logged.
 */
final class LoggedMeter extends ForwardingMeter {

  private final Limit limit;
  private final Journal journal;
  private final boolean whole;

  LoggedMeter(Meter meter, Limit limit, Journal journal) {
    super(meter);
    this.limit = limit;
    this.journal = journal;
    this.whole = LimitEpoch.countsWhole(limit);
  }

  /** Called when it is in force. */
  void install(long now) {
    journal.changed(limit, now);
  }

  @Override
  public void release(long since, long now, Cost cost) {
    journal.released(since, now, cost);
    meter.release(since, now, cost);
  }

  /** Logged as not sent until now: a request that is known by its start has another one then. */
  @Override
  public void sent(long startedAt, long now, Cost cost) {
    journal.released(now, now, cost);
    journal.ended(startedAt, now, cost, Outcome.NOT_SENT);
    meter.sent(startedAt, now, cost);
  }

  @Override
  public void startsLate(long now, Cost cost) {
    journal.startedLate(now, cost);
    meter.startsLate(now, cost);
  }

  /**
   * Logged afterwards: if the process dies in between, the permit stays open, which is the safe
   * side.
   */
  @Override
  public void end(long startedAt, long now, Cost cost, Outcome end) {
    meter.end(startedAt, now, cost, end);
    journal.ended(startedAt, now, cost, end);
  }

  @Override
  public void settle(long releasedAt, long sentAt, long now, Cost charged, Cost actual) {
    journal.settled(sentAt, now, charged, actual);
    meter.settle(releasedAt, sentAt, now, charged, actual);
  }

  /** Logs a permit that is open while this takes over. */
  void noteOpen(OpenRequest request) {
    if (whole) {
      journal.adopted(request.startedAt(), request.cost());
    }
  }

  /** Returns the meter whose events are logged. */
  Meter meter() {
    return meter;
  }
}
