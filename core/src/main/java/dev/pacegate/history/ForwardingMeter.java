package dev.pacegate.history;

import dev.pacegate.limit.Cost;
import dev.pacegate.limit.Measure;
import dev.pacegate.limit.spi.Losses;
import dev.pacegate.limit.spi.Meter;
import dev.pacegate.limit.spi.Past;
import java.time.Instant;
import java.util.List;
import java.util.function.LongConsumer;

/** A meter that forwards questions to another one; subclasses forward what happens. */
public abstract class ForwardingMeter implements Meter {

  /** The other meter. */
  protected final Meter meter;

  /** Forwards questions to {@code meter}. */
  protected ForwardingMeter(Meter meter) {
    this.meter = meter;
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
  public boolean tracks() {
    return meter.tracks();
  }

  @Override
  public Measure measure() {
    return meter.measure();
  }

  @Override
  public boolean recall(long now, Past past) {
    return meter.recall(now, past);
  }

  @Override
  public long restsIn(long now) {
    return meter.restsIn(now);
  }

  @Override
  public void settle(long startedAt, long now, Cost charged, Cost actual) {
    settle(startedAt, startedAt, now, charged, actual);
  }

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
