package dev.pacegate.permit;

import dev.pacegate.history.ForwardingMeter;
import dev.pacegate.limit.Cost;
import dev.pacegate.limit.Limit;
import dev.pacegate.limit.Outcome;
import dev.pacegate.limit.Promise;
import dev.pacegate.limit.spi.Meter;
import java.util.List;

/** Another limit under which every end takes a reading of the clock. */
record DatedLimit(Limit limit) implements Limit {

  /** Forwards everything but how many ends may be undated. */
  private static final class DatedMeter extends ForwardingMeter {

    DatedMeter(Meter meter) {
      super(meter);
    }

    @Override
    public void release(long since, long now, Cost cost) {
      meter.release(since, now, cost);
    }

    @Override
    public void end(long startedAt, long now, Cost cost, Outcome end) {
      meter.end(startedAt, now, cost, end);
    }
  }

  @Override
  public Meter newMeter(long now) {
    return new DatedMeter(limit.newMeter(now));
  }

  @Override
  public List<Promise> promises() {
    return limit.promises();
  }

  @Override
  public long unansweredNanos() {
    return limit.unansweredNanos();
  }

  @Override
  public long memory() {
    return limit.memory();
  }
}
