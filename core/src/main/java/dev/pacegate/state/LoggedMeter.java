package dev.pacegate.state;

import dev.pacegate.history.OpenRequest;
import dev.pacegate.limit.Cost;
import dev.pacegate.limit.Limit;
import dev.pacegate.limit.Measure;
import dev.pacegate.limit.Outcome;
import dev.pacegate.limit.spi.Losses;
import dev.pacegate.limit.spi.Meter;
import dev.pacegate.limit.spi.Past;
import java.time.Instant;
import java.util.List;
import java.util.function.LongConsumer;

/** A meter of which everything is written down, just before it happens. */
final class LoggedMeter implements Meter {

  private final Meter meter;
  private final Limit limit;
  private final Journal journal;
  private final boolean whole;

  LoggedMeter(Meter meter, Limit limit, Journal journal) {
    this.meter = meter;
    this.limit = limit;
    this.journal = journal;
    this.whole = Era.countsWhole(limit);
  }

  /** Is in force from now on. */
  void install(long now) {
    journal.changed(limit, now);
  }

  @Override
  public long nanosUntil(long since, long now, Cost cost) {
    return meter.nanosUntil(since, now, cost);
  }

  @Override
  public long atLeast(long since, long now, Cost ahead, Cost cost) {
    return meter.atLeast(since, now, ahead, cost);
  }

  @Override
  public void release(long since, long now, Cost cost) {
    journal.released(since, now, cost);
    meter.release(since, now, cost);
  }

  @Override
  public void startsLate(long now, Cost cost) {
    journal.startedLate(now, cost);
    meter.startsLate(now, cost);
  }

  /** Written down afterwards: whoever dies in between leaves it open, which is the safe side. */
  @Override
  public void end(long startedAt, long now, Cost cost, Outcome end) {
    meter.end(startedAt, now, cost, end);
    journal.ended(startedAt, now, cost, end);
  }

  @Override
  public void settle(long startedAt, long now, Cost charged, Cost actual) {
    journal.settled(startedAt, now, charged, actual);
    meter.settle(startedAt, now, charged, actual);
  }

  @Override
  public boolean recall(long now, Past past) {
    return meter.recall(now, past);
  }

  @Override
  public boolean tracks() {
    return meter.tracks();
  }

  /** Notes a permit that is open while this takes over. */
  void noteOpen(OpenRequest request) {
    if (whole) {
      journal.adopted(request.startedAt(), request.cost());
    }
  }

  /** Returns the meter of which this is written down. */
  Meter meter() {
    return meter;
  }

  @Override
  public Measure measure() {
    return meter.measure();
  }

  @Override
  public long restsIn(long now) {
    return meter.restsIn(now);
  }

  /** What was learned of the peer's clock is not kept. */
  @Override
  public void dated(long startedAt, long now, Instant date) {
    meter.dated(startedAt, now, date);
  }

  @Override
  public long askAgainAfter() {
    return meter.askAgainAfter();
  }

  @Override
  public List<Meter> leaves() {
    return meter.leaves();
  }

  @Override
  public void most(LongConsumer sink) {
    meter.most(sink);
  }

  @Override
  public Losses losses(long now, Cost cost) {
    return meter.losses(now, cost);
  }
}
