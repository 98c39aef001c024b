package dev.pacegate.limit;

import dev.pacegate.limit.spi.Meter;
import dev.pacegate.limit.spi.Past;
import java.util.List;
import java.util.function.LongConsumer;

/** The meter of no limit, which has no state. */
final class UnlimitedMeter implements Meter {

  @Override
  public long nanosUntil(long since, long now, Cost cost) {
    return 0;
  }

  @Override
  public long atLeast(long since, long now, Cost ahead, Cost cost) {
    return 0;
  }

  @Override
  public void release(long since, long now, Cost cost) {}

  @Override
  public long restsIn(long now) {
    return 0;
  }

  @Override
  public boolean recall(long now, Past past) {
    return false;
  }

  /** None: there is nothing to take over. */
  @Override
  public List<Meter> leaves() {
    return List.of();
  }

  @Override
  public void most(LongConsumer sink) {}
}
