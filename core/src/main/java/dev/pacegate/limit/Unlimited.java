package dev.pacegate.limit;

import dev.pacegate.limit.spi.Meter;
import dev.pacegate.limit.spi.Past;
import java.util.List;
import java.util.function.LongConsumer;

/**
 * No limit: {@code unlimited}.
 *
 * <p><b>Promise.</b> None. For switches and for tests: everything goes at once.
 */
public record Unlimited() implements Limit {

  static final Unlimited INSTANCE = new Unlimited();

  @Override
  public Meter newMeter(long now) {
    return UnlimitedMeter.INSTANCE;
  }

  @Override
  public Limit share(int percent) {
    return this;
  }

  @Override
  public Limit rest(int... percents) {
    return this;
  }

  @Override
  public List<Promise> promises() {
    return List.of();
  }

  /** Returns {@code unlimited}. */
  @Override
  public String toString() {
    return "unlimited";
  }

  /** The state of no limit: none. */
  private static final class UnlimitedMeter implements Meter {
    static final UnlimitedMeter INSTANCE = new UnlimitedMeter();

    @Override
    public long nanosUntil(long since, long now, Cost cost) {
      return 0;
    }

    @Override
    public long atLeast(long since, long now, Cost ahead, Cost cost) {
      return 0;
    }

    @Override
    public long restsIn(long now) {
      return 0;
    }

    @Override
    public boolean recall(long now, Past past) {
      return false;
    }

    @Override
    public void most(LongConsumer sink) {}

    @Override
    public void release(long since, long now, Cost cost) {}
  }
}
