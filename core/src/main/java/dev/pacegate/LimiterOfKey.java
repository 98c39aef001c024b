package dev.pacegate;

import static java.util.Objects.requireNonNull;

import dev.pacegate.engine.Clock;
import dev.pacegate.engine.KeySeat;
import dev.pacegate.limit.Limit;
import java.time.Duration;
import java.util.Optional;

/** A key of a {@link KeyedLimiter} as a limiter: what steers it steers that key alone. */
final class LimiterOfKey<K> extends Limiter {

  private final KeySeat<K> key;
  private final Limiter all;

  LimiterOfKey(Limiter all, KeySeat<K> key) {
    super(all, key);
    this.all = all;
    this.key = key;
  }

  @Override
  public String name() {
    return all.name() + "[" + key.key() + "]";
  }

  /** A view that is made for this one call is never put into memory. */
  @Override
  public Optional<Permit> tryAcquire() {
    return optional(key.tryNow());
  }

  @Override
  public Limit limit() {
    return key.limit();
  }

  @Override
  public void setLimit(Limit limit) {
    key.setLimit(requireNonNull(limit));
  }

  @Override
  public void pause() {
    key.pauseFor(Clock.FOREVER);
  }

  @Override
  public void pauseFor(Duration span) {
    key.pauseFor(nanos(span));
  }

  @Override
  public void resume() {
    key.resume();
  }

  @Override
  public Snapshot snapshot() {
    return key.snapshot(name());
  }

  @Override
  public void close() {
    key.turnAway();
  }

  @Override
  public Limiter lane(String name) {
    throw new UnsupportedOperationException(
        "a key stands in the lane that its KeyedLimiter is within: within(all.lane(name))");
  }

  @Override
  public void observeOnly(boolean on) {
    throw new UnsupportedOperationException(
        "one key cannot be observed only: all can, by KeyedLimiter.all()");
  }
}
