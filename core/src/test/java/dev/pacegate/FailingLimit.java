package dev.pacegate;

import dev.pacegate.limit.Cost;
import dev.pacegate.limit.Limit;
import dev.pacegate.limit.Promise;
import dev.pacegate.limit.spi.Meter;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/** Lets no request through, and {@code fails} once inside the gate. */
public record FailingLimit(AtomicBoolean fails) implements Limit {

  public FailingLimit() {
    this(new AtomicBoolean());
  }

  private long unlessItFails(long wait) {
    if (fails.getAndSet(false)) {
      throw new InternalError("thrown by a test");
    }
    return wait;
  }

  @Override
  public Meter newMeter(long now) {
    return new PlainMeter() {
      @Override
      public long nanosUntil(long since, long at, Cost cost) {
        return unlessItFails(TimeUnit.HOURS.toNanos(1));
      }

      @Override
      public long atLeast(long since, long at, Cost ahead, Cost cost) {
        return 0;
      }

      @Override
      public void release(long since, long at, Cost cost) {}

      @Override
      public long restsIn(long at) {
        return unlessItFails(AT_EVENT);
      }
    };
  }

  @Override
  public List<Promise> promises() {
    return List.of();
  }
}
