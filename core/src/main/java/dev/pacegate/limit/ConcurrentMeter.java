package dev.pacegate.limit;

import java.util.function.LongConsumer;

/** The state of a {@link Concurrent}: how many are open. */
final class ConcurrentMeter implements Meter {

  private final long max;
  private long open;
  private long most;

  ConcurrentMeter(long max) {
    this.max = max;
  }

  @Override
  public long nanosUntil(long since, long now, Cost cost) {
    long calls = cost.calls();
    if (calls > max) {
      return NEVER;
    }
    return calls <= max - open ? 0 : AT_EVENT;
  }

  /** Everything open may end this very moment. */
  @Override
  public long atLeast(long since, long now, Cost ahead, Cost cost) {
    return cost.calls() > max ? NEVER : 0;
  }

  @Override
  public void release(long since, long now, Cost cost) {
    open += cost.calls();
    most = Math.max(most, open);
  }

  @Override
  public void end(long startedAt, long now, Cost cost, End end) {
    open -= cost.calls();
  }

  @Override
  public long restsIn(long now) {
    return open > 0 ? AT_EVENT : 0;
  }

  @Override
  public boolean tracks() {
    return true;
  }

  @Override
  public void adopt(long startedAt, Cost cost) {
    open += cost.calls();
  }

  @Override
  public void most(LongConsumer sink) {
    sink.accept(most);
  }
}
